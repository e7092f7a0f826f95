/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay.h"

#include <string.h>

static uint64_t *replay_word(struct relay_replay *r, uint64_t counter)
{
    return &r->seen[counter % RELAY_REPLAY_BITS / 64];
}

static uint64_t replay_bit(uint64_t counter)
{
    return (uint64_t)1 << counter % 64;
}

bool relay_replay_fresh(const struct relay_replay *r, uint64_t counter)
{
    if (counter >= r->next)
        return counter < UINT64_MAX;
    return r->next - counter <= RELAY_REPLAY_BITS &&
           !(r->seen[counter % RELAY_REPLAY_BITS / 64] & replay_bit(counter));
}

void relay_replay_add(struct relay_replay *r, uint64_t counter)
{
    if (counter >= r->next && counter - r->next >= RELAY_REPLAY_BITS) {
        memset(r->seen, 0, sizeof(r->seen));
        r->next = counter;
    }
    for (; r->next <= counter; r->next++)
        *replay_word(r, r->next) &= ~replay_bit(r->next);
    *replay_word(r, counter) |= replay_bit(counter);
}
