/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

#include <ach.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 65536u
#define FIRST_ITEMS 4u

struct value_block {
    struct value_block *next;
    void *adopted; /* freed with the block */
    size_t used, room;
    alignas(max_align_t) uint8_t bytes[];
};

static struct value_block *arena_block(struct value_arena *a, size_t room)
{
    const size_t limit = a->limit ? a->limit : VALUE_ARENA_MAX;
    struct value_block *b;

    if (room > limit - a->used) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "it takes more than %zu bytes of memory", limit);
        return NULL;
    }
    b = calloc(1, sizeof(*b) + room);
    if (!b) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for %zu bytes", room);
        return NULL;
    }
    b->room = room;
    b->next = a->blocks;
    a->blocks = b;
    a->used += room;
    return b;
}

void *value_alloc(struct value_arena *a, size_t size)
{
    size_t align = alignof(max_align_t);
    struct value_block *b = a->blocks;
    void *p;

    if (size > VALUE_ARENA_MAX)
        size = VALUE_ARENA_MAX + 1u;
    size = (size + align - 1) & ~(align - 1);
    if (!b || size > b->room - b->used)
        b = arena_block(a, size > BLOCK_SIZE / 4 ? size : BLOCK_SIZE);
    if (!b)
        return NULL;
    p = b->bytes + b->used;
    b->used += size;
    return p;
}

/* The room is the next power of two, so that it need not be stored. */
void *value_grow(struct value_arena *a, void *items, size_t count, size_t item_size)
{
    void *bigger;

    if (count && (count < FIRST_ITEMS || (count & (count - 1))))
        return items;
    if (count > VALUE_ARENA_MAX / item_size / 2)
        return value_alloc(a, SIZE_MAX);
    bigger = value_alloc(a, (count ? 2 * count : FIRST_ITEMS) * item_size);
    if (bigger && count)
        memcpy(bigger, items, count * item_size);
    return bigger;
}

char *value_copy(struct value_arena *a, const char *text, size_t size)
{
    char *copy = size < SIZE_MAX ? value_alloc(a, size + 1) : NULL;

    if (copy && size)
        memcpy(copy, text, size);
    return copy;
}

bool value_adopt(struct value_arena *a, void *memory)
{
    struct value_block *b = arena_block(a, 0);

    if (b)
        b->adopted = memory;
    else
        free(memory);
    return b != NULL;
}

void value_arena_finish(struct value_arena *a)
{
    while (a->blocks) {
        struct value_block *b = a->blocks;

        a->blocks = b->next;
        free(b->adopted);
        free(b);
    }
    a->used = 0;
}
