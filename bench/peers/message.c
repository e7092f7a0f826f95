/* SPDX-License-Identifier: BSD-3-Clause */
#include "message.h"

#include <string.h>

#define NUMBER_BITS 48
#define WARM_UP (1ull << 63)
#define STEP 0x9e3779b97f4a7c15ull

static uint64_t word_of(const struct tag *tag)
{
    return tag->number | (uint64_t)tag->sender << NUMBER_BITS | (tag->warm_up ? WARM_UP : 0);
}

void message_write(void *place, size_t size, const struct tag *tag, bool touch)
{
    uint64_t word = word_of(tag), *to = place;
    size_t i, words = size / sizeof(word);

    to[0] = word;
    if (!touch)
        return;
    for (i = 1; i < words; i++)
        to[i] = word + i * STEP;
    memset(&to[words], (int)(word & 0xff), size % sizeof(word));
}

bool message_read(const void *place, size_t size, struct tag *tag, bool touch)
{
    const uint64_t *from = place;
    uint64_t word = from[0], wrong = 0;
    size_t i, words = size / sizeof(word);
    const unsigned char *rest = (const unsigned char *)&from[words];

    tag->number = word & ((1ull << NUMBER_BITS) - 1);
    tag->sender = (unsigned)((word & ~WARM_UP) >> NUMBER_BITS);
    tag->warm_up = (word & WARM_UP) != 0;
    if (!touch)
        return true;
    for (i = 1; i < words; i++)
        wrong |= from[i] ^ (word + i * STEP);
    for (i = 0; i < size % sizeof(word); i++)
        wrong |= rest[i] ^ (word & 0xff);
    return wrong == 0;
}
