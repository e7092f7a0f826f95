/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arena.h - memory that is freed all at once
 *
 * An arena has a limit, because hostile input decides how much is allocated.
 */
#ifndef VALUE_ARENA_H
#define VALUE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#define VALUE_ARENA_MAX (256u << 20)

/* Begin with all members 0. */
struct value_arena {
    struct value_block *blocks;
    size_t used;  /* bytes of all blocks */
    size_t limit; /* of used; 0: VALUE_ARENA_MAX */
};

/* Zeroed, aligned for any type. NULL after setting ach_errstr: no memory, or over the limit. */
void *value_alloc(struct value_arena *a, size_t size);

/*
 * Room for one more item behind `count` items; returns the items, which may have moved. The first
 * count must be 0, with items NULL. NULL as value_alloc.
 */
void *value_grow(struct value_arena *a, void *items, size_t count, size_t item_size);

/* A copy with a NUL behind it. NULL as value_alloc. */
char *value_copy(struct value_arena *a, const char *text, size_t size);

/* Let the arena free memory of malloc. False: no memory, and it is freed already. */
bool value_adopt(struct value_arena *a, void *memory);

void value_arena_finish(struct value_arena *a);

#endif
