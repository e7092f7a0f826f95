/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle.c - the memory of handles
 *
 * It is never freed, but used again: a program may still have a copy of a handle that it closed,
 * and is told so by the life in it.
 */
#include "handle.h"

#include <stdlib.h>
#include <time.h>

#define NAP_NS 50000l

/* The list is changed by one store, so a child of fork finds a complete one. */
static struct achi_handle *closed;

void achi_list_lock(uint32_t *lock)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};

    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        nanosleep(&nap, NULL);
}

void achi_list_unlock(uint32_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

struct achi_handle *achi_handle_new(void)
{
    struct achi_handle *h;
    uint32_t life;

    achi_list_lock(&achi_process->handles);
    h = closed;
    if (h)
        closed = h->next;
    achi_list_unlock(&achi_process->handles);
    if (!h)
        h = calloc(1, sizeof(*h));
    if (!h)
        return NULL;
    life = h->life;
    *h = (struct achi_handle){.life = life};
    return h;
}

void achi_handle_end(struct achi_handle *h)
{
    h->life++;
    achi_list_lock(&achi_process->handles);
    h->next = closed;
    closed = h;
    achi_list_unlock(&achi_process->handles);
}
