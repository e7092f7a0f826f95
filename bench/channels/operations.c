/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operations.c - put and get of 64 bytes, against a lock and a copy
 *
 * The channel has the default geometry. The floors do the least that could
 * move 64 bytes through shared memory: a copy, alone or under a lock. Three
 * locks: compare-and-swap; a mutex that processes share; and one that does
 * what the channel's own does, survive the death of its owner and lend it the
 * priority of those who wait.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "ticks.h"

#define HISTORY 64u
#define BATCH 1000u

struct place {
    uint32_t lock APART;
    unsigned char bytes[MESSAGE_SIZE] APART;
    pthread_mutex_t mutex APART;
};

static void first_prepare(void *user, unsigned n)
{
    ach_flush(&((struct user *)user)->chan);
    user_put(user, n);
}

static void both_batch(void *user, unsigned n)
{
    ach_flush(&((struct user *)user)->chan);
    while (n--) {
        user_put(user, 1);
        user_get_last(user, 1);
    }
}

/* op->variant: whether the mutex is robust and lends priority. */
static void *place_setup(const struct op *op)
{
    struct place *p = shared_alloc(sizeof(*p));

    mutex_init(&p->mutex, op->variant);
    return p;
}

static void spin_batch(void *state, unsigned n)
{
    unsigned char message[MESSAGE_SIZE] APART = {0};
    struct place *p = state;

    while (n--) {
        uint32_t unlocked = 0;

        while (!__atomic_compare_exchange_n(&p->lock, &unlocked, 1, 0, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED)) {
            unlocked = 0;
            relax();
        }
        memcpy(p->bytes, message, sizeof(message));
        memory_changes();
        __atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE);
    }
}

static void mutex_batch(void *state, unsigned n)
{
    unsigned char message[MESSAGE_SIZE] APART = {0};
    struct place *p = state;

    while (n--) {
        if (pthread_mutex_lock(&p->mutex) != 0)
            abort();
        memcpy(p->bytes, message, sizeof(message));
        memory_changes();
        pthread_mutex_unlock(&p->mutex);
    }
}

static void copy_batch(void *state, unsigned n)
{
    unsigned char message[MESSAGE_SIZE] APART;
    struct place *p = state;

    while (n--) {
        memcpy(message, p->bytes, sizeof(message));
        __asm__ volatile("" : : "r"(message) : "memory");
    }
}

#define CHANNEL .setup = user_setup, .frames = ACH_DEFAULT_FRAME_COUNT, .batch_max = BATCH
#define PLACE .setup = place_setup, .batch_max = BATCH

const struct op operations[] = {
    {CHANNEL, .name = "put 64 B", .batch = user_put, .counted = "ach_put"},
    {CHANNEL, .name = "get LAST 64 B", .batch = user_get_last, .counted = "ach_get:LAST"},
    {.setup = user_setup,
     .frames = HISTORY,
     .batch_max = HISTORY,
     .name = "get FIRST 64 B",
     .prepare = first_prepare,
     .batch = user_get_next,
     .counted = "ach_get:FIRST"},
    {CHANNEL, .name = "put, then get LAST", .batch = both_batch},
    {PLACE, .name = "CAS lock + memcpy 64 B", .batch = spin_batch},
    {PLACE, .name = "robust PI mutex + memcpy", .batch = mutex_batch, .variant = true},
    {PLACE, .name = "shared mutex + memcpy", .batch = mutex_batch},
    {PLACE, .name = "memcpy 64 B", .batch = copy_batch},
    {0},
};

int operations_repeat(const char *name)
{
    const struct op *op = operations;

    while (op->name && strcmp(op->name, name) != 0)
        op++;
    if (op->name)
        instructions_repeat(op);
    return op->name ? 0 : 2;
}
