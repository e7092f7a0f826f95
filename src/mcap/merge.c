/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge.h"

#include <stdlib.h>

#include "bytes.h"

/* Of open chunks. A recorder's chunks hardly overlap. */
#define MERGE_BYTES_MAX ((uint64_t)1 << 32)

static const struct mcap_stamp *merge_stamp(const struct mcap_unpacked *u)
{
    return &u->stamps[u->next];
}

/* By the time of the next message, then by the place in the file. */
static bool merge_before(const struct mcap_unpacked *a, const struct mcap_unpacked *b)
{
    if (merge_stamp(a)->time != merge_stamp(b)->time)
        return merge_stamp(a)->time < merge_stamp(b)->time;
    return a->offset < b->offset;
}

static void merge_swap(struct mcap_merge *m, size_t i, size_t j)
{
    struct mcap_unpacked *other = m->open[i];

    m->open[i] = m->open[j];
    m->open[j] = other;
}

static void merge_up(struct mcap_merge *m, size_t i)
{
    for (; i && merge_before(m->open[i], m->open[(i - 1) / 2]); i = (i - 1) / 2)
        merge_swap(m, i, (i - 1) / 2);
}

static void merge_down(struct mcap_merge *m)
{
    size_t i = 0, child;

    while ((child = 2 * i + 1) < m->count) {
        if (child + 1 < m->count && merge_before(m->open[child + 1], m->open[child]))
            child++;
        if (!merge_before(m->open[child], m->open[i]))
            return;
        merge_swap(m, i, child);
        i = child;
    }
}

static void merge_discard(struct mcap_unpacked *u)
{
    if (u)
        mcap_unpacked_free(u);
    free(u);
}

/* Keep one, so that its memory is used again. */
static void merge_close(struct mcap_merge *m, struct mcap_unpacked *u)
{
    m->bytes -= u->data.size;
    merge_discard(m->spare);
    m->spare = u;
}

/* Read the record that the index names. */
static const char *merge_read(struct mcap_merge *m, const struct mcap_place *place)
{
    uint64_t size = place->length - MCAP_RECORD_HEADER;
    uint8_t head[MCAP_RECORD_HEADER];

    if (mcap_source_at(m->source, place->offset, head, sizeof(head)) != MCAP_READ)
        return "it cannot be read";
    if (head[0] != MCAP_CHUNK || mcap_load64(head + 1) != size || size > MCAP_RECORD_MAX)
        return "it is not where the index says";
    m->content.size = 0;
    if (!mcap_buffer_reserve(&m->content, (size_t)size))
        return "there is no memory for it";
    m->content.size = (size_t)size;
    return mcap_source_at(m->source, place->offset + sizeof(head), m->content.at, (size_t)size) ==
                   MCAP_READ
               ? NULL
               : "it cannot be read";
}

static const char *merge_unpack(struct mcap_merge *m, const struct mcap_span *span,
                                struct mcap_unpacked *u)
{
    const char *why = merge_read(m, &span->place);

    if (!why)
        why = mcap_unpack(u, &m->content, m->definitions);
    if (why)
        return why;
    mcap_unpacked_sort(u);
    if (u->count && (u->stamps[0].time < span->first || u->stamps[u->count - 1].time > span->last))
        return "its messages have other times than the index says";
    while (u->next < u->count && merge_stamp(u)->time < m->from)
        u->next++;
    return NULL;
}

static bool merge_reserve(struct mcap_merge *m)
{
    struct mcap_unpacked **open;

    if (m->count == m->room) {
        open = mcap_array_grow(m->open, &m->room, m->count + 1, sizeof(struct mcap_unpacked *));
        if (!open)
            return false;
        m->open = open;
    }
    if (!m->spare)
        m->spare = calloc(1, sizeof(*m->spare));
    return m->spare != NULL;
}

/* NULL, or why it is bad. Then it is left out; if only some of its messages are bad, these are. */
static const char *merge_open(struct mcap_merge *m, const struct mcap_span *span)
{
    struct mcap_unpacked *u;
    const char *why;

    if (!merge_reserve(m))
        return "there is no memory for it";
    u = m->spare;
    u->offset = span->place.offset;
    why = merge_unpack(m, span, u);
    if (!why && u->data.size > MERGE_BYTES_MAX - m->bytes)
        why = "the times of too many chunks overlap";
    if (why)
        return why;
    if (u->undefined) {
        why = MCAP_UNDEFINED;
        m->damage.undefined++;
    }
    if (u->next == u->count)
        return why;
    m->bytes += u->data.size;
    m->spare = NULL;
    m->open[m->count++] = u;
    merge_up(m, m->count - 1);
    return why;
}

/* Go behind the message that was given. */
static void merge_step(struct mcap_merge *m)
{
    struct mcap_unpacked *u = m->open[0];

    if (++u->next == u->count) {
        m->open[0] = m->open[--m->count];
        merge_close(m, u);
    }
    if (m->count > 1)
        merge_down(m);
}

/* Could the next chunk have a message before those of the open ones? */
static bool merge_needs(const struct mcap_merge *m)
{
    return m->next < m->index->count &&
           (m->count == 0 || m->index->chunks[m->next].first <= merge_stamp(m->open[0])->time);
}

enum mcap_result mcap_merge_next(struct mcap_merge *m, struct mcap_message *message)
{
    struct mcap_span *span;
    const char *why;

    if (m->given)
        merge_step(m);
    m->given = false;
    while (merge_needs(m)) {
        span = &m->index->chunks[m->next++];
        why = span->last < m->from ? NULL : merge_open(m, span);
        if (!why)
            continue;
        mcap_damage_add(&m->damage, "chunk", span->place.offset, why);
        m->bad += !span->bad;
        span->bad = true;
    }
    if (m->count == 0)
        return m->damage.count ? mcap_damage_say(&m->damage, m->fault) : MCAP_END;
    mcap_unpacked_message(m->open[0], m->open[0]->next, message);
    m->given = true;
    return MCAP_OK;
}

void mcap_merge_seek(struct mcap_merge *m, uint64_t from)
{
    while (m->count)
        merge_close(m, m->open[--m->count]);
    m->given = false;
    m->next = 0;
    m->from = from;
    m->damage = (struct mcap_damage){0};
}

void mcap_merge_free(struct mcap_merge *m)
{
    mcap_merge_seek(m, 0);
    merge_discard(m->spare);
    free(m->open);
    mcap_buffer_free(&m->content);
}
