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
#include "instructions.h"
#include "ticks.h"

#define HISTORY 64u
#define BATCH 1000u

struct place {
    uint32_t lock APART;
    unsigned char bytes[MESSAGE_SIZE] APART;
    pthread_mutex_t mutex APART;
};

struct channel {
    ach_channel_t chan;
    unsigned char message[MESSAGE_SIZE] APART;
};

/* The compiler must believe that another process sees and changes memory. */
static inline void memory_changes(void)
{
    __asm__ volatile("" : : : "memory");
}

/* op->size: frames. */
static void *channel_setup(const struct op *op)
{
    struct channel *c = private_alloc(sizeof(*c));

    channel_make("operations", op->size, ACH_DEFAULT_FRAME_SIZE, false);
    channel_open(&c->chan, "operations", false, 0);
    MUST_ACH(ach_put(&c->chan, c->message, sizeof(c->message)));
    return c;
}

static void channel_finish(void *state)
{
    struct channel *c = state;

    ach_close(&c->chan);
    ach_unlink("operations");
    free(c);
}

static void put(struct channel *c)
{
    if (ach_put(&c->chan, c->message, sizeof(c->message)) != ACH_OK)
        abort();
}

static void get(struct channel *c, int options)
{
    size_t size;

    if (ach_get(&c->chan, c->message, sizeof(c->message), &size, NULL, options) != ACH_OK)
        abort();
}

static void put_batch(void *state, unsigned n)
{
    while (n--)
        put(state);
}

static void last_batch(void *state, unsigned n)
{
    while (n--)
        get(state, ACH_O_LAST | ACH_O_COPY);
}

static void first_prepare(void *state, unsigned n)
{
    ach_flush(&((struct channel *)state)->chan);
    put_batch(state, n);
}

static void first_batch(void *state, unsigned n)
{
    while (n--)
        get(state, 0);
}

static void both_batch(void *state, unsigned n)
{
    ach_flush(&((struct channel *)state)->chan);
    while (n--) {
        put(state);
        get(state, ACH_O_LAST);
    }
}

/* op->variant: whether the mutex is robust and lends priority. */
static void *place_setup(const struct op *op)
{
    struct place *p = shared_alloc(sizeof(*p));
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    MUST(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    if (op->variant) {
        MUST(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
        MUST(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
    }
    MUST(pthread_mutex_init(&p->mutex, &attr) == 0);
    pthread_mutexattr_destroy(&attr);
    return p;
}

static void place_finish(void *state)
{
    shared_free(state, sizeof(struct place));
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

#define CHANNEL(frames)                                                                            \
    .setup = channel_setup, .finish = channel_finish, .size = (frames), .batch_max = BATCH
#define PLACE .setup = place_setup, .finish = place_finish, .batch_max = BATCH

const struct op operations[] = {
    {CHANNEL(ACH_DEFAULT_FRAME_COUNT), .name = "put 64 B", .batch = put_batch},
    {CHANNEL(ACH_DEFAULT_FRAME_COUNT), .name = "get LAST 64 B", .batch = last_batch},
    {.setup = channel_setup,
     .finish = channel_finish,
     .size = HISTORY,
     .batch_max = HISTORY,
     .name = "get FIRST 64 B",
     .prepare = first_prepare,
     .batch = first_batch},
    {CHANNEL(ACH_DEFAULT_FRAME_COUNT), .name = "put, then get LAST", .batch = both_batch},
    {PLACE, .name = "CAS lock + memcpy 64 B", .batch = spin_batch},
    {PLACE, .name = "robust PI mutex + memcpy", .batch = mutex_batch, .variant = true},
    {PLACE, .name = "shared mutex + memcpy", .batch = mutex_batch},
    {PLACE, .name = "memcpy 64 B", .batch = copy_batch},
    {0},
};

const struct counted counted[] = {
    {&operations[0], "ach_put", "ach_put"},
    {&operations[1], "ach_get", "ach_get:LAST"},
    {&operations[2], "ach_get", "ach_get:FIRST"},
    {0},
};

int counted_repeat(const char *name)
{
    const struct counted *c = counted;

    while (c->op && strcmp(c->op->name, name) != 0)
        c++;
    if (c->op)
        instructions_repeat(c->op);
    return c->op ? 0 : 2;
}
