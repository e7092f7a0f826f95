/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "geometry.h"

/* Larger than any memory, and small enough that sums and products of sizes do not overflow. */
#define SIZE_LIMIT (1ull << 46)

/* The commit word carries 26 bits of the sequence; the index of an entry must have fewer. */
#define FRAME_LIMIT (1ull << 24)

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) & ~(unit - 1);
}

static uint64_t power_of_two_above(uint64_t n)
{
    uint64_t p = 2;

    while (p <= n)
        p *= 2;
    return p;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

enum ach_status achi_geometry_init(struct achi_geometry *g, uint64_t frame_cnt, uint64_t frame_size,
                                   uint32_t page, uint32_t flags, uint32_t type_size)
{
    uint64_t capacity, ring;

    if (page < ACHI_HEADER_SIZE || (page & (page - 1)) || (flags & ~(uint32_t)ACHI_F_ALL))
        return ACH_EINVAL;
    if (frame_cnt == 0 || frame_size == 0 || frame_cnt > FRAME_LIMIT || frame_size > SIZE_LIMIT ||
        type_size > ACHI_TYPE_MAX)
        return ACH_EINVAL;
    if (__builtin_mul_overflow(frame_cnt, frame_size, &capacity) || capacity > SIZE_LIMIT)
        return ACH_EINVAL;

    ring = 2 * larger(round_up(capacity, ACHI_ALIGN), frame_cnt * round_up(frame_size, ACHI_ALIGN));
    g->frame_cnt = frame_cnt;
    g->frame_size = frame_size;
    g->capacity = capacity;
    g->slots = power_of_two_above(frame_cnt);
    g->type_off = ACHI_HEADER_SIZE + g->slots * sizeof(struct achi_entry);
    g->data_off = round_up(g->type_off + type_size, page);
    g->data_size = round_up(ring, page);
    g->memory = g->data_off + g->data_size;
    if (flags & ACHI_F_MIRRORED) {
        g->span = g->memory + g->data_size;
    } else {
        g->memory += round_up(capacity, page);
        g->span = g->memory;
    }
    g->flags = flags;
    g->page = page;
    g->type_size = type_size;
    return ACH_OK;
}

/* A channel that has nothing of version 7 has the former version: earlier programs can open it. */
static uint32_t version_of(const struct achi_geometry *g)
{
    const uint32_t later = ACHI_F_ORIGINS | ACHI_F_LOWERED;

    return g->type_size || (g->flags & later) ? ACHI_VERSION_TYPED : ACHI_VERSION;
}

enum ach_status achi_geometry_check(struct achi_geometry *g, const struct ach_header *copy,
                                    uint64_t memory, uint32_t page)
{
    if (memory < ACHI_HEADER_SIZE || copy->magic != ACHI_MAGIC)
        return ACH_BAD_SHM_FILE;
    if ((copy->version != ACHI_VERSION && copy->version != ACHI_VERSION_TYPED) ||
        copy->page != page)
        return ACH_BAD_HEADER;
    if (achi_geometry_init(g, copy->frame_cnt, copy->frame_size, page, copy->flags,
                           copy->type_size) != ACH_OK)
        return ACH_BAD_SHM_FILE;
    if (copy->version != version_of(g))
        return ACH_BAD_SHM_FILE;
    if (copy->slots != g->slots || copy->data_off != g->data_off ||
        copy->data_size != g->data_size || copy->memory != g->memory || memory != g->memory)
        return ACH_BAD_SHM_FILE;
    return ACH_OK;
}

void achi_format(struct ach_header *hdr, const struct achi_geometry *g, int32_t clock,
                 uint64_t pidns, uint64_t epoch)
{
    struct achi_entry *entries = (struct achi_entry *)((unsigned char *)hdr + ACHI_HEADER_SIZE);
    uint64_t i;

    hdr->version = version_of(g);
    hdr->flags = g->flags;
    hdr->frame_cnt = g->frame_cnt;
    hdr->frame_size = g->frame_size;
    hdr->slots = g->slots;
    hdr->data_off = g->data_off;
    hdr->data_size = g->data_size;
    hdr->memory = g->memory;
    hdr->pidns = pidns;
    hdr->clock = clock;
    hdr->page = g->page;
    hdr->type_size = g->type_size;
    hdr->epoch = epoch;
    hdr->first = 1;
    /* Entry 0 stands for the time before the first message: valid, empty, at position 0. */
    for (i = 1; i < g->slots; i++)
        entries[i].seq = ACHI_NONE;
    hdr->magic = ACHI_MAGIC;
}

void achi_view_init(struct achi_view *v, struct ach_header *hdr, const struct achi_geometry *g,
                    int32_t clock)
{
    v->hdr = hdr;
    v->entries = (struct achi_entry *)((unsigned char *)hdr + ACHI_HEADER_SIZE);
    v->data = (unsigned char *)hdr + g->data_off;
    v->mask = g->slots - 1;
    v->frame_cnt = g->frame_cnt;
    v->capacity = g->capacity;
    v->data_size = g->data_size;
    v->inline_max = g->flags & ACHI_F_ORIGINS ? ACHI_INLINE_MAX_ORIGINS : ACHI_INLINE_MAX;
    v->flags = g->flags;
    v->clock = clock;
}
