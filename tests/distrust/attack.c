/* SPDX-License-Identifier: BSD-3-Clause */
#include "attack.h"

#include <fcntl.h>

#include "check.h"
#include "layout.h"

static uint64_t roll(struct attack *a, uint64_t n)
{
    return check_random(&a->rng) % n;
}

static struct ach_header *header_of(const struct attack *a)
{
    return (struct ach_header *)(void *)a->base;
}

int attack_init(struct attack *a, const char *path, uint64_t seed)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    *a = (struct attack){.rng = seed};
    if (fd < 0)
        return 0;
    a->size = (size_t)lseek(fd, 0, SEEK_END);
    a->base = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    a->good = malloc(a->size);
    if (a->base == MAP_FAILED || !a->good)
        return 0;
    memcpy(a->good, a->base, a->size);
    return 1;
}

void attack_finish(struct attack *a)
{
    munmap(a->base, a->size);
    free(a->good);
}

void attack_heal(struct attack *a)
{
    size_t i;

    for (i = 0; i < a->size; i++)
        ((volatile unsigned char *)a->base)[i] = a->good[i];
}

/* Values at the limits of what a field may hold. */
static uint64_t nasty(struct attack *a, uint64_t now)
{
    const struct ach_header *good = (const struct ach_header *)(const void *)a->good;
    const uint64_t capacity = good->frame_cnt * good->frame_size;
    const uint64_t edges[] = {
        0,
        1,
        UINT64_MAX,
        UINT64_MAX - 1,
        1ull << 63,
        (1ull << 63) | (good->data_size - 1),
        (1ull << 63) | good->data_size,
        good->data_size,
        good->data_size - 1,
        good->data_size - 64,
        capacity,
        capacity + 1,
        ACHI_INLINE_MAX + 1,
        roll(a, good->data_size),
        check_random(&a->rng),
        now + 1,
        now - 1,
        now + roll(a, 64),
        now ^ (1ull << roll(a, 64)),
    };

    return edges[roll(a, sizeof(edges) / sizeof(edges[0]))];
}

static void hit_word(struct attack *a, uint64_t *word)
{
    uint64_t now = __atomic_load_n(word, __ATOMIC_RELAXED);

    __atomic_store_n(word, nasty(a, now), __ATOMIC_RELAXED);
}

static void hit_lock(struct attack *a)
{
    uint32_t tid = a->tid_count ? a->tids[roll(a, a->tid_count)] : 1;
    const uint32_t words[] = {
        0,
        1,
        tid,
        tid | 0x80000000u,
        tid | 0x40000000u,
        0x80000000u,
        0x40000000,
        0xc0000000,
        (uint32_t)roll(a, 100000),
        (uint32_t)roll(a, UINT32_MAX),
    };

    __atomic_store_n(&header_of(a)->lock, words[roll(a, sizeof(words) / sizeof(words[0]))],
                     __ATOMIC_RELAXED);
}

static void hit_commit(struct attack *a)
{
    uint32_t now = __atomic_load_n(&header_of(a)->commit, __ATOMIC_RELAXED);
    const uint32_t words[] = {now + 1,
                              now + ACHI_ONE_MESSAGE,
                              now - ACHI_ONE_MESSAGE,
                              now ^ ACHI_WAITER,
                              now + ACHI_NUDGE,
                              0,
                              UINT32_MAX,
                              (uint32_t)roll(a, UINT32_MAX)};

    __atomic_store_n(&header_of(a)->commit, words[roll(a, sizeof(words) / sizeof(words[0]))],
                     __ATOMIC_RELAXED);
}

static void hit_entry(struct attack *a)
{
    const struct ach_header *good = (const struct ach_header *)(const void *)a->good;
    uint64_t *entry = (uint64_t *)(void *)(a->base + ACHI_HEADER_SIZE +
                                           roll(a, good->slots) * sizeof(struct achi_entry));

    hit_word(a, entry + roll(a, 6));
}

/* The fixed part of the header, which no process uses after open. */
static void hit_header(struct attack *a)
{
    hit_word(a, (uint64_t *)(void *)a->base + roll(a, 10));
}

static void hit_state(struct attack *a)
{
    struct ach_header *h = header_of(a);

    switch (roll(a, 3)) {
    case 0:
        __atomic_store_n(&h->state, (uint32_t)roll(a, 4), __ATOMIC_RELAXED);
        break;
    case 1:
        __atomic_store_n(&h->readonly_wake, (uint32_t)roll(a, 3), __ATOMIC_RELAXED);
        break;
    default:
        hit_word(a, &h->first);
    }
}

static void hit_byte(struct attack *a)
{
    __atomic_store_n(a->base + roll(a, a->size), (unsigned char)check_random(&a->rng),
                     __ATOMIC_RELAXED);
}

void attack_step(struct attack *a)
{
    void (*const hits[])(struct attack *) = {
        hit_lock,  hit_lock,  hit_commit, hit_commit, hit_entry, hit_entry, hit_entry,
        hit_entry, hit_entry, hit_entry,  hit_state,  hit_byte,  hit_byte,  hit_header,
    };

    if (roll(a, 8) == 0)
        attack_heal(a);
    else
        hits[roll(a, sizeof(hits) / sizeof(hits[0]))](a);
}
