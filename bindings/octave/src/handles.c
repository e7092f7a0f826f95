/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handles.c - the table of open channels and devices
 *
 * Users have numbers, never pointers. A number contains the place in the table, and a serial
 * number that is not used again. So the number of a closed handle never means another one.
 */
#include "gateway.h"

#include <stdlib.h>

#define HANDLES_MAX 65536u

static struct oct_handle **table;
static size_t table_size;
static uint64_t serial;

/* A free place in the table; it grows if there is none. */
static size_t table_place(void)
{
    size_t old = table_size, size = old ? 2 * old : 16;
    struct oct_handle **larger;

    for (size_t i = 0; i < old; i++)
        if (!table[i])
            return i;
    if (size > HANDLES_MAX)
        oct_throw(ACH_FAILED_SYSCALL, "%u handles are open; close some", HANDLES_MAX);
    larger = realloc(table, size * sizeof(struct oct_handle *));
    if (!larger)
        oct_throw(ACH_FAILED_SYSCALL, "no memory for a handle");
    for (size_t i = old; i < size; i++)
        larger[i] = NULL;
    table = larger;
    table_size = size;
    return old;
}

struct oct_handle *oct_handle_new(enum oct_kind kind)
{
    size_t place = table_place();
    struct oct_handle *h = calloc(1, sizeof(*h));

    if (!h)
        oct_throw(ACH_FAILED_SYSCALL, "no memory for a handle");
    h->kind = kind;
    h->id = ++serial * HANDLES_MAX + place;
    table[place] = h;
    return h;
}

void oct_handle_drop(struct oct_handle *h)
{
    table[h->id % HANDLES_MAX] = NULL;
    free(h->buffer);
    ach_definition_free(h->definition);
    free(h);
}

/* The memory of a heap channel is freed when nobody uses it. Its number is not valid before that. */
static void heap_leave(struct oct_handle *heap)
{
    if (--heap->users > 0)
        return;
    free(heap->memory);
    free(heap);
}

static enum ach_status heap_close(struct oct_handle *h)
{
    table[h->id % HANDLES_MAX] = NULL;
    heap_leave(h);
    return ACH_OK;
}

enum ach_status oct_handle_close(struct oct_handle *h)
{
    enum ach_status status = ACH_OK;

    if (h->kind == OCT_HEAP)
        return heap_close(h);
    if (h->kind == OCT_CHANNEL) {
        status = ach_close(&h->chan);
        if (h->heap)
            heap_leave(h->heap);
    } else if (h->kind == OCT_DEVICE) {
        status = ach_device_close(h->device);
    }
    oct_handle_drop(h);
    return status;
}

void oct_handles_close(void)
{
    for (size_t i = 0; i < table_size; i++)
        if (table[i])
            oct_handle_close(table[i]);
    free(table);
    table = NULL;
    table_size = 0;
}

struct oct_handle *oct_handle_of_id(uint64_t id)
{
    size_t place = id % HANDLES_MAX;

    if (place >= table_size || !table[place] || table[place]->id != id)
        oct_throw_status(ACH_CLOSED);
    return table[place];
}

struct oct_handle *oct_handle_any(const mxArray *a)
{
    if (!mxIsUint64(a) || mxIsComplex(a) || mxGetNumberOfElements(a) != 1)
        oct_throw(ACH_EINVAL, "expected a handle from ach_open or ach_device_open, found %s",
                  mxIsUint64(a) ? "an array" : mxGetClassName(a));
    return oct_handle_of_id(*(const uint64_t *)mxGetData(a));
}

struct oct_handle *oct_handle(const mxArray *a, enum oct_kind kind)
{
    static const char *const names[] = {"a channel", "memory", "a device", "a period"};
    struct oct_handle *h = oct_handle_any(a);

    if (h->kind != kind)
        oct_throw(ACH_EINVAL, "expected the handle of %s, found that of %s", names[kind],
                  names[h->kind]);
    return h;
}
