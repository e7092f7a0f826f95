/* SPDX-License-Identifier: BSD-3-Clause */
#include "chunk.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "encode.h"

static bool chunk_reserve_list(struct mcap_chunk *c, uint16_t channel)
{
    return channel < c->lists_room ||
           mcap_array_grow_zero(&c->lists, &c->lists_room, channel + 1u, sizeof(*c->lists));
}

static bool chunk_reserve_used(struct mcap_chunk *c)
{
    uint16_t *used;

    if (c->used_count < c->used_room)
        return true;
    used = mcap_array_grow(c->used, &c->used_room, c->used_count + 1, sizeof(*used));
    if (used)
        c->used = used;
    return used != NULL;
}

static bool chunk_reserve_entry(struct mcap_chunk *c)
{
    struct mcap_entry *entries;

    if (c->count < c->room)
        return true;
    entries = mcap_array_grow(c->entries, &c->room, c->count + 1, sizeof(*entries));
    if (entries)
        c->entries = entries;
    return entries != NULL;
}

static void chunk_add(struct mcap_chunk *c, uint16_t channel, uint64_t time, uint64_t offset)
{
    struct mcap_list *list = &c->lists[channel];
    uint32_t n = (uint32_t)c->count++;

    c->entries[n] = (struct mcap_entry){.time = time, .offset = offset};
    if (list->count++)
        c->entries[list->tail].next = n;
    else {
        list->head = n;
        c->used[c->used_count++] = channel;
    }
    list->tail = n;
    if (n == 0 || time < c->first)
        c->first = time;
    if (n == 0 || time > c->last)
        c->last = time;
}

bool mcap_chunk_entry(struct mcap_chunk *c, uint16_t channel, uint64_t time, uint64_t offset)
{
    if (!chunk_reserve_list(c, channel) || !chunk_reserve_used(c) || !chunk_reserve_entry(c))
        return false;
    chunk_add(c, channel, time, offset);
    return true;
}

bool mcap_chunk_message(struct mcap_chunk *c, const struct mcap_message *message)
{
    if (!mcap_buffer_reserve(&c->records,
                             MCAP_RECORD_HEADER + MCAP_MESSAGE_FIXED + message->size) ||
        !mcap_chunk_entry(c, message->channel, message->log_time, c->records.size))
        return false;
    mcap_encode_message(&c->records, message);
    return true;
}

void mcap_chunk_index(const struct mcap_chunk *c, uint16_t channel, struct mcap_buffer *to)
{
    const struct mcap_list *list = &c->lists[channel];
    size_t begin = mcap_record_begin(to, MCAP_MESSAGE_INDEX), bytes = list->count * (size_t)16;
    uint32_t n, i = list->head;
    uint8_t *at;

    mcap_put16(to, channel);
    mcap_put32(to, (uint32_t)bytes);
    if (!mcap_buffer_reserve(to, bytes))
        return;
    at = to->at + to->size;
    for (n = 0; n < list->count; n++, i = c->entries[i].next) {
        at = mcap_store64(at, c->entries[i].time);
        at = mcap_store64(at, c->entries[i].offset);
    }
    to->size += bytes;
    mcap_record_end(to, begin);
}

void mcap_chunk_clear(struct mcap_chunk *c)
{
    size_t i;

    for (i = 0; i < c->used_count; i++)
        c->lists[c->used[i]] = (struct mcap_list){0};
    c->used_count = 0;
    c->count = 0;
    c->records.size = 0;
}

void mcap_chunk_free(struct mcap_chunk *c)
{
    mcap_buffer_free(&c->records);
    free(c->entries);
    free(c->lists);
    free(c->used);
}
