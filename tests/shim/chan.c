/* SPDX-License-Identifier: BSD-3-Clause */
#include "chan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "oracle.h"

#define ARENA (64u * 1024u)
#define GUARD (64u * 1024u)
#define PAGE 4096u
#define GAP 0xa5

struct achi_view chan_view;

static unsigned char *arena;
static uint64_t spare;

static void make_arena(void)
{
    unsigned char *p = mmap(NULL, ARENA + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || mprotect(p + GUARD, ARENA, PROT_READ | PROT_WRITE) != 0)
        abort();
    arena = p + GUARD;
    memset(arena, GAP, ARENA);
}

uint64_t chan_used(uint64_t n)
{
    return (n + ACHI_ALIGN - 1) & ~(uint64_t)(ACHI_ALIGN - 1);
}

/* The smallest ring allowed by geometry.h: 2 full messages or 2 * frame_cnt frames, the larger. */
static uint64_t least_ring(const struct achi_geometry *g)
{
    uint64_t a = 2 * chan_used(g->capacity);
    uint64_t b = 2 * g->frame_cnt * chan_used(g->frame_size);

    return a > b ? a : b;
}

/* Place the channel so that it ends at the guard page. */
static void place_channel(const struct chan_plan *p)
{
    struct achi_geometry g;
    struct ach_header *hdr;
    uint64_t ring, total;

    if (achi_geometry_init(&g, p->frame_cnt, p->frame_size, PAGE, p->flags, 0) != ACH_OK)
        abort();
    ring = p->roomy ? g.data_size : least_ring(&g);
    spare = p->flags & ACHI_F_MIRRORED ? 0 : chan_used(g.capacity);
    total = ACHI_HEADER_SIZE + g.slots * sizeof(struct achi_entry) + ring + spare;
    if (total > ARENA)
        abort();
    hdr = (struct ach_header *)(void *)(arena + ((ARENA - total) & ~(uint64_t)127));
    memset(hdr, 0, sizeof(*hdr));
    memset((unsigned char *)hdr + ACHI_HEADER_SIZE, 0, g.slots * sizeof(struct achi_entry));
    memset(arena + ARENA - ring - spare, 0, ring + spare);
    achi_format(hdr, &g, 0, 0, 1);
    achi_view_init(&chan_view, hdr, &g, 0);
    chan_view.data = arena + ARENA - ring - spare;
    chan_view.data_size = ring;
    hdr->readonly_wake = p->readonly_wake;
}

static void place_start(const struct chan_plan *p)
{
    struct achi_entry *e = achi_entry_of(&chan_view, p->start_seq);

    e->pos = p->start_pos;
    e->off = p->start_pos % chan_view.data_size;
    if (p->start_seq == 0)
        return;
    chan_view.entries[0].seq = ACHI_NONE;
    e->seq = p->start_seq;
    e->size = p->start_size;
    if (p->start_size <= chan_view.inline_max)
        e->off |= ACHI_INLINE;
    chan_fill(p->start_size <= chan_view.inline_max ? (unsigned char *)e->small
                                                    : chan_view.data + e->off,
              ORACLE_START_ID, p->start_size);
    chan_view.hdr->commit = ((uint32_t)p->start_seq * ACHI_ONE_MESSAGE) & ACHI_SEQ_BITS;
    chan_view.hdr->first = p->start_seq;
}

void chan_setup(const struct chan_plan *p)
{
    if (!arena)
        make_arena();
    if (chan_view.hdr)
        memset(chan_view.hdr, GAP, (size_t)(arena + ARENA - (unsigned char *)chan_view.hdr));
    place_channel(p);
    place_start(p);
}

static bool all_gap(const unsigned char *from, const unsigned char *to)
{
    for (; from < to; from++)
        if (*from != GAP)
            return false;
    return true;
}

bool chan_gaps_clean(void)
{
    const unsigned char *hdr = (const unsigned char *)chan_view.hdr;
    const unsigned char *entries_end =
        (const unsigned char *)(chan_view.entries + chan_view.mask + 1);

    return all_gap(hdr - 256, hdr) && all_gap(hdr + sizeof(struct ach_header), hdr + 4096) &&
           all_gap(entries_end, chan_view.data);
}

uint64_t *chan_random_word(uint64_t random)
{
    uint64_t entry_words = (chan_view.mask + 1) * sizeof(struct achi_entry) / 8;
    uint64_t head_words = sizeof(struct ach_header) / 8 - 16;
    uint64_t data_words = (chan_view.data_size + spare) / 8;
    uint64_t k = random >> 8;

    switch (random & 7) {
    case 0:
        return (uint64_t *)(void *)chan_view.data + k % data_words;
    case 1:
    case 2:
        return (uint64_t *)(void *)chan_view.hdr + 16 + k % head_words;
    case 3:
        return (uint64_t *)(void *)&chan_view.hdr->commit;
    case 4:
        return (uint64_t *)(void *)chan_view.entries + k % entry_words;
    default: /* the first fields of an entry */
        return (uint64_t *)(void *)&chan_view.entries[k & chan_view.mask] + (k >> 32) % 5;
    }
}

static uint64_t message_word(uint32_t id, uint64_t i)
{
    return (id + 1) * 0x9e3779b97f4a7c15ull ^ (i + 1) * 0xc2b2ae3d27d4eb4full;
}

static uint64_t piece(uint64_t n, uint64_t i)
{
    return n - i < 8 ? n - i : 8;
}

void message_fill(unsigned char *buf, uint32_t id, uint64_t n)
{
    uint64_t i;

    for (i = 0; i < n; i += 8) {
        uint64_t w = message_word(id, i);

        memcpy(buf + i, &w, (size_t)piece(n, i));
    }
}

struct achi_origin message_origin(uint32_t id)
{
    return (struct achi_origin){id + 1ull, ~(uint64_t)id, id * 3ull + 1};
}

bool message_matches(const unsigned char *buf, uint32_t id, uint64_t n)
{
    uint64_t i;

    for (i = 0; i < n; i += 8) {
        uint64_t w = message_word(id, i);

        if (memcmp(buf + i, &w, (size_t)piece(n, i)) != 0)
            return false;
    }
    return true;
}

unsigned char *chan_real_place(unsigned char *p)
{
    if (!(chan_view.flags & ACHI_F_MIRRORED) || p < chan_view.data + chan_view.data_size)
        return p;
    return p - chan_view.data_size;
}

void chan_fill(unsigned char *place, uint32_t id, uint64_t n)
{
    uint64_t i;

    for (i = 0; i < n; i += 8) {
        uint64_t w = message_word(id, i);

        memcpy(chan_real_place(place + i), &w, (size_t)piece(n, i));
    }
}

bool chan_matches(const unsigned char *place, uint32_t id, uint64_t n)
{
    uint64_t i;

    for (i = 0; i < n; i += 8) {
        uint64_t w = message_word(id, i);

        if (memcmp(chan_real_place((unsigned char *)(uintptr_t)(place + i)), &w,
                   (size_t)piece(n, i)) != 0)
            return false;
    }
    return true;
}

static bool within(const unsigned char *p, size_t n, const void *from, uint64_t size)
{
    return p >= (const unsigned char *)from && p + n <= (const unsigned char *)from + size;
}

bool chan_holds(const unsigned char *p, size_t n)
{
    uint64_t mirror = chan_view.flags & ACHI_F_MIRRORED ? chan_view.data_size : spare;
    bool inside = within(p, n, chan_view.data, chan_view.data_size + mirror);
    uint64_t i;

    for (i = 0; !inside && i <= chan_view.mask; i++)
        inside = within(p, n, chan_view.entries[i].small, ACHI_INLINE_MAX);
    return inside;
}
