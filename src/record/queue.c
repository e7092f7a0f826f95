/* SPDX-License-Identifier: BSD-3-Clause */
#include "queue.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define ALIGNMENT 64u

/* When the disk is too slow for images, they must not crowd out all else. One that needs it may fill the queue. */
#define LARGE 16384u
#define SPARE_PART 8

static uint64_t queue_align(uint64_t size)
{
    return (size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

_Static_assert(sizeof(struct record_entry) <= ALIGNMENT, "the end of the memory fits an entry");

bool record_queue_init(struct record_queue *q, size_t room, bool armed)
{
    pthread_condattr_t monotonic;

    memset(q, 0, sizeof(*q));
    q->room = queue_align(room);
    q->bytes = mmap(NULL, (size_t)q->room, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (q->bytes == MAP_FAILED)
        return false;
    q->armed = armed;
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&q->filled, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return true;
}

void record_queue_finish(struct record_queue *q)
{
    munmap(q->bytes, (size_t)q->room);
    pthread_cond_destroy(&q->filled);
    pthread_mutex_destroy(&q->lock);
}

static struct record_entry *queue_at(const struct record_queue *q, uint64_t position)
{
    return (struct record_entry *)(void *)(q->bytes + position % q->room);
}

/* Is there room for so many bytes in a row? If need be, the rest of the memory is left out. */
static bool queue_make_room(struct record_queue *q, uint64_t size, uint64_t spare)
{
    uint64_t row, unused = 0;

    if (q->head == q->tail)
        q->head = q->tail = (q->head + q->room - 1) / q->room * q->room;
    row = q->room - q->head % q->room;
    if (row < size)
        unused = row;
    if (unused + size + spare > q->room - (q->head - q->tail))
        return false;
    if (unused)
        *queue_at(q, q->head) = (struct record_entry){.size = unused};
    q->head += unused;
    return true;
}

bool record_queue_fits(const struct record_queue *q, size_t length)
{
    return queue_align(sizeof(struct record_entry) + length) <= q->room;
}

struct record_entry *record_queue_reserve(struct record_queue *q, size_t length)
{
    const uint64_t size = queue_align(sizeof(struct record_entry) + length);
    const uint64_t part = q->room / SPARE_PART;
    struct record_entry *e = NULL;

    pthread_mutex_lock(&q->lock);
    if (queue_make_room(q, size, length > LARGE && size <= q->room - part ? part : 0))
        e = queue_at(q, q->head);
    pthread_mutex_unlock(&q->lock);
    if (e) {
        e->size = size;
        e->length = length;
    }
    return e;
}

void record_queue_add(struct record_queue *q, const struct record_entry *e)
{
    pthread_mutex_lock(&q->lock);
    q->head += e->size;
    pthread_mutex_unlock(&q->lock);
}

/* The first entry that has a message. */
static struct record_entry *queue_first(struct record_queue *q)
{
    if (q->tail != q->head && !queue_at(q, q->tail)->topic)
        q->tail += queue_at(q, q->tail)->size;
    return q->tail != q->head ? queue_at(q, q->tail) : NULL;
}

struct record_entry *record_queue_oldest(struct record_queue *q)
{
    struct record_entry *e;

    pthread_mutex_lock(&q->lock);
    e = q->armed ? queue_first(q) : NULL;
    pthread_mutex_unlock(&q->lock);
    return e;
}

void record_queue_drop(struct record_queue *q)
{
    struct record_entry *e;

    pthread_mutex_lock(&q->lock);
    e = queue_first(q);
    if (e)
        q->tail += e->size;
    pthread_mutex_unlock(&q->lock);
}

static void queue_signal(struct record_queue *q)
{
    if (q->sleeping && !q->armed && (q->ended || q->head != q->tail))
        pthread_cond_signal(&q->filled);
}

void record_queue_wake(struct record_queue *q)
{
    pthread_mutex_lock(&q->lock);
    queue_signal(q);
    pthread_mutex_unlock(&q->lock);
}

void record_queue_release(struct record_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->armed = false;
    queue_signal(q);
    pthread_mutex_unlock(&q->lock);
}

void record_queue_end(struct record_queue *q)
{
    pthread_mutex_lock(&q->lock);
    if (q->armed) /* what was kept is not wanted */
        q->tail = q->head;
    q->armed = false;
    q->ended = true;
    queue_signal(q);
    pthread_mutex_unlock(&q->lock);
}

/* False: the time has passed. */
static bool queue_sleep(struct record_queue *q, int64_t until)
{
    struct timespec t = {.tv_sec = (time_t)(until / 1000000000),
                         .tv_nsec = (long)(until % 1000000000)};
    int r = 0;

    q->sleeping = true;
    if (until == INT64_MAX)
        pthread_cond_wait(&q->filled, &q->lock);
    else
        r = pthread_cond_timedwait(&q->filled, &q->lock, &t);
    q->sleeping = false;
    return r == 0;
}

struct record_entry *record_queue_next(struct record_queue *q, int64_t until, bool *ended)
{
    struct record_entry *e = NULL;
    bool more = true;

    pthread_mutex_lock(&q->lock);
    for (;;) {
        if (!q->armed)
            e = queue_first(q);
        if (e || q->ended || !more)
            break;
        more = queue_sleep(q, until);
    }
    *ended = q->ended && !e;
    pthread_mutex_unlock(&q->lock);
    return e;
}

void record_queue_done(struct record_queue *q, const struct record_entry *e)
{
    pthread_mutex_lock(&q->lock);
    q->tail += e->size;
    pthread_mutex_unlock(&q->lock);
}
