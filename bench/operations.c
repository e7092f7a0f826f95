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
#include "operations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "ticks.h"

#define BATCHES 40u
#define BATCH_MAX 1000u
#define SINGLES 4000u
#define HISTORY 64u

struct place {
    uint32_t lock APART;
    unsigned char bytes[MESSAGE_SIZE] APART;
    pthread_mutex_t mutex APART;
    pthread_mutex_t plain APART;
};

struct channel_state {
    ach_channel_t chan;
    const char *name;
    unsigned char message[MESSAGE_SIZE] APART;
};

/* The compiler must believe that another process sees and changes memory. */
static inline void memory_changes(void)
{
    __asm__ volatile("" : : : "memory");
}

void op_measure(const struct op *op, void *state, struct trial *trial)
{
    unsigned i, group = ticks_group();
    unsigned n = op->batch_max, batches = scaled(trial, BATCHES * BATCH_MAX / n, 5);
    uint64_t start, end;

    for (i = 0; i <= batches; i++) {
        if (op->prepare)
            op->prepare(state, n);
        start = ticks();
        op->batch(state, n);
        end = ticks();
        if (i > 0)
            samples_add(trial->typical, ticks_to_ns(start, end) / n);
    }
    for (i = 0; i < scaled(trial, SINGLES, 200); i++) {
        if (op->prepare)
            op->prepare(state, group);
        start = ticks();
        op->batch(state, group);
        end = ticks();
        samples_add(trial->single, ticks_to_ns(start, end) / group);
    }
}

static void *channel_setup(const char *name, size_t frames)
{
    struct channel_state *s = private_alloc(sizeof(*s));

    s->name = name;
    channel_make(name, frames, ACH_DEFAULT_FRAME_SIZE, false);
    channel_open(&s->chan, name, false, 0);
    MUST_ACH(ach_put(&s->chan, s->message, sizeof(s->message)));
    return s;
}

static void channel_finish(void *state)
{
    struct channel_state *s = state;

    ach_close(&s->chan);
    ach_unlink(s->name);
    free(s);
}

static void *put_setup(void)
{
    return channel_setup("put", ACH_DEFAULT_FRAME_COUNT);
}

static void put_batch(void *state, unsigned n)
{
    struct channel_state *s = state;

    while (n--)
        if (ach_put(&s->chan, s->message, sizeof(s->message)) != ACH_OK)
            abort();
}

static void *last_setup(void)
{
    return channel_setup("last", ACH_DEFAULT_FRAME_COUNT);
}

static void last_batch(void *state, unsigned n)
{
    struct channel_state *s = state;
    size_t size;

    while (n--)
        if (ach_get(&s->chan, s->message, sizeof(s->message), &size, NULL,
                    ACH_O_LAST | ACH_O_COPY) != ACH_OK)
            abort();
}

static void *first_setup(void)
{
    return channel_setup("first", HISTORY);
}

static void first_prepare(void *state, unsigned n)
{
    struct channel_state *s = state;

    ach_flush(&s->chan);
    put_batch(state, n);
}

static void first_batch(void *state, unsigned n)
{
    struct channel_state *s = state;
    size_t size;

    while (n--)
        if (ach_get(&s->chan, s->message, sizeof(s->message), &size, NULL, 0) != ACH_OK)
            abort();
}

static void *both_setup(void)
{
    return channel_setup("both", ACH_DEFAULT_FRAME_COUNT);
}

static void both_batch(void *state, unsigned n)
{
    struct channel_state *s = state;
    size_t size;

    ach_flush(&s->chan);
    while (n--)
        if (ach_put(&s->chan, s->message, sizeof(s->message)) != ACH_OK ||
            ach_get(&s->chan, s->message, sizeof(s->message), &size, NULL, ACH_O_LAST) != ACH_OK)
            abort();
}

static void *place_setup(void)
{
    struct place *p = shared_alloc(sizeof(*p));
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    MUST(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    MUST(pthread_mutex_init(&p->plain, &attr) == 0);
    MUST(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    MUST(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
    MUST(pthread_mutex_init(&p->mutex, &attr) == 0);
    pthread_mutexattr_destroy(&attr);
    return p;
}

static void place_finish(void *state)
{
    struct place *p = state;

    pthread_mutex_destroy(&p->mutex);
    pthread_mutex_destroy(&p->plain);
    shared_free(p, sizeof(*p));
}

static void spin_batch(void *state, unsigned n)
{
    unsigned char message[MESSAGE_SIZE] APART = {0};
    struct place *p = state;

    while (n--) {
        uint32_t free_ = 0;

        while (!__atomic_compare_exchange_n(&p->lock, &free_, 1, 0, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED)) {
            free_ = 0;
            relax();
        }
        memcpy(p->bytes, message, sizeof(message));
        memory_changes();
        __atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE);
    }
}

static void copy_locked(struct place *p, pthread_mutex_t *mutex, unsigned n)
{
    unsigned char message[MESSAGE_SIZE] APART = {0};

    while (n--) {
        if (pthread_mutex_lock(mutex) != 0)
            abort();
        memcpy(p->bytes, message, sizeof(message));
        memory_changes();
        pthread_mutex_unlock(mutex);
    }
}

static void mutex_batch(void *state, unsigned n)
{
    struct place *p = state;

    copy_locked(p, &p->mutex, n);
}

static void plain_batch(void *state, unsigned n)
{
    struct place *p = state;

    copy_locked(p, &p->plain, n);
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

const struct op op_put = {
    .name = "put 64 B",
    .symbol = "ach_put",
    .batch_max = BATCH_MAX,
    .setup = put_setup,
    .batch = put_batch,
    .finish = channel_finish,
};

const struct op op_get_last = {
    .name = "get LAST 64 B",
    .symbol = "ach_get",
    .batch_max = BATCH_MAX,
    .setup = last_setup,
    .batch = last_batch,
    .finish = channel_finish,
};

const struct op op_get_first = {
    .name = "get FIRST 64 B",
    .symbol = "ach_get",
    .batch_max = HISTORY,
    .setup = first_setup,
    .prepare = first_prepare,
    .batch = first_batch,
    .finish = channel_finish,
};

static const struct op op_both = {.batch_max = BATCH_MAX, .batch = both_batch};
static const struct op op_spin = {.batch_max = BATCH_MAX, .batch = spin_batch};
static const struct op op_mutex = {.batch_max = BATCH_MAX, .batch = mutex_batch};
static const struct op op_plain = {.batch_max = BATCH_MAX, .batch = plain_batch};
static const struct op op_copy = {.batch_max = BATCH_MAX, .batch = copy_batch};

static void put_run(void *state, struct trial *trial)
{
    op_measure(&op_put, state, trial);
}

static void last_run(void *state, struct trial *trial)
{
    op_measure(&op_get_last, state, trial);
}

static void first_run(void *state, struct trial *trial)
{
    op_measure(&op_get_first, state, trial);
}

static void both_run(void *state, struct trial *trial)
{
    op_measure(&op_both, state, trial);
}

static void spin_run(void *state, struct trial *trial)
{
    op_measure(&op_spin, state, trial);
}

static void mutex_run(void *state, struct trial *trial)
{
    op_measure(&op_mutex, state, trial);
}

static void plain_run(void *state, struct trial *trial)
{
    op_measure(&op_plain, state, trial);
}

static void copy_run(void *state, struct trial *trial)
{
    op_measure(&op_copy, state, trial);
}

enum { PUT, LAST, FIRST, BOTH, SPIN, MUTEX, PLAIN, COPY };

static const struct contender contenders[] = {
    [PUT] = {"put 64 B", put_setup, put_run, channel_finish},
    [LAST] = {"get LAST 64 B", last_setup, last_run, channel_finish},
    [FIRST] = {"get FIRST 64 B", first_setup, first_run, channel_finish},
    [BOTH] = {"put, then get LAST", both_setup, both_run, channel_finish},
    [SPIN] = {"CAS lock + memcpy 64 B", place_setup, spin_run, place_finish},
    [MUTEX] = {"robust PI mutex + memcpy", place_setup, mutex_run, place_finish},
    [PLAIN] = {"shared mutex + memcpy", place_setup, plain_run, place_finish},
    [COPY] = {"memcpy 64 B", place_setup, copy_run, place_finish},
};

static const struct claim claims[] = {
    {PUT, PLAIN, CLAIM_AT_MOST, 1.6}, {PUT, MUTEX, CLAIM_AT_MOST, 1.1},
    {PUT, SPIN, CLAIM_NOTHING, 0},    {LAST, COPY, CLAIM_EXTRA_NS, 20},
    {LAST, SPIN, CLAIM_NOTHING, 0},   {FIRST, COPY, CLAIM_NOTHING, 0},
    {FIRST, SPIN, CLAIM_NOTHING, 0},  {BOTH, SPIN, CLAIM_NOTHING, 0},
    {SPIN, SPIN, CLAIM_NOTHING, 0},   {PLAIN, SPIN, CLAIM_NOTHING, 0},
    {MUTEX, SPIN, CLAIM_NOTHING, 0},  {COPY, SPIN, CLAIM_NOTHING, 0},
};

const struct group operations_group = {
    .name = "operations",
    .about = "one process, nobody waiting, everything in the nearest cache",
    .contenders = contenders,
    .contender_count = ARRAY_SIZE(contenders),
    .claims = claims,
    .claim_count = ARRAY_SIZE(claims),
};
