/* SPDX-License-Identifier: BSD-3-Clause */
/* buffer.h - bytes that grow */
#ifndef MCAP_BUFFER_H
#define MCAP_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* If there was no memory for something, that is missing and `failed` is set. */
struct mcap_buffer {
    uint8_t *at;
    size_t size, room;
    bool failed;
};

/* Room for so many bytes behind those that are there. */
bool mcap_buffer_reserve(struct mcap_buffer *b, size_t more);

/*
 * Room for `expected` bytes in all, which so many stored bytes are said to become; at first only for what is usual, because a
 * file may lie. Called again when this is full, it makes more. False: there is no memory.
 */
bool mcap_buffer_expand(struct mcap_buffer *b, size_t stored, size_t expected);

void mcap_buffer_append(struct mcap_buffer *b, const void *data, size_t size);
void mcap_buffer_free(struct mcap_buffer *b);

/* As realloc, for an array that has *room elements and shall have `need`; *room grows by half at least. */
void *mcap_array_grow(void *array, size_t *room, size_t need, size_t element);

/* The same in place, with zeros behind what was there. False: there is no memory; then nothing changed. */
bool mcap_array_grow_zero(void *array, size_t *room, size_t need, size_t element);

#endif
