/* SPDX-License-Identifier: BSD-3-Clause */
#include "ends.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "link.h"
#include "ticks.h"

#define PATIENCE_MS 100
#define WARM_UP_MS 10
#define WARM_UP_PAUSE_NS 1000000u
#define ANSWER_MS 500
#define LOST_ANSWERS_MAX 10u
#define ALIGNMENT 4096u
#define NS_PER_S 1000000000ull

size_t board_size(const struct setting *s, uint64_t count)
{
    return sizeof(struct board) +
           (size_t)count * s->senders * (1 + s->receivers) * sizeof(uint64_t);
}

static uint64_t *stamp_of(struct board *b, const struct tag *tag)
{
    return &b->numbers[tag->sender * b->count + tag->number];
}

/* One receiver's times, in the order of arrival. */
static uint64_t *times_of(struct board *b, unsigned receiver)
{
    return &b->numbers[(1 + receiver) * b->senders * b->count];
}

static bool stopped(const struct end *e)
{
    return __atomic_load_n(&e->board->stop, __ATOMIC_ACQUIRE) != 0;
}

static void fail(const struct end *e)
{
    __atomic_fetch_add(&e->board->failed, 1, __ATOMIC_RELEASE);
}

int end_put(struct end *e, const struct tag *tag)
{
    struct link *l = e->out;

    if (e->c->loan && !e->c->loan(l))
        return 0;
    message_write(l->message, l->size, tag, !e->s->untouched);
    return e->c->send(l);
}

int end_get(struct end *e, struct tag *tag, int timeout_ms)
{
    struct link *l = e->in;
    ssize_t n = link_receive(l, timeout_ms);
    bool good;

    if (n <= 0)
        return n == 0 ? NOTHING : FAILED;
    good = (size_t)n == l->size && message_read(l->message, l->size, tag, !e->s->untouched);
    if (e->c->release && !e->c->release(l))
        return NOTHING; /* overwritten while it was read: a loss, not damage */
    return good ? GOT : DAMAGED;
}

void sleep_until(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static bool all_heard(const struct end *e)
{
    unsigned i;

    for (i = 0; i < e->s->receivers; i++)
        if (!(__atomic_load_n(&e->board->tally[i].heard, __ATOMIC_ACQUIRE) & 1u << e->index))
            return false;
    return true;
}

/* False: the run is over before it began. */
static bool warm_up(struct end *e)
{
    const struct tag tag = {.sender = e->index, .warm_up = true};

    while (!all_heard(e)) {
        if (stopped(e) || end_put(e, &tag) < 0)
            return false;
        sleep_until(clock_ns() + WARM_UP_PAUSE_NS);
    }
    __atomic_fetch_add(&e->board->warm, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&e->board->warm, __ATOMIC_ACQUIRE) < e->s->senders && !stopped(e))
        sleep_until(clock_ns() + WARM_UP_PAUSE_NS);
    return !stopped(e);
}

void live_send(struct end *e)
{
    struct tag tag = {.sender = e->index};
    double period = (double)NS_PER_S / e->s->rate_hz;
    uint64_t start;

    if (!warm_up(e))
        return;
    start = clock_ns() + WARM_UP_MS * 1000000u + (uint64_t)(period * e->index / e->s->senders);
    for (tag.number = 0; tag.number < e->board->count && !stopped(e); tag.number++) {
        sleep_until(start + (uint64_t)((double)tag.number * period));
        *stamp_of(e->board, &tag) = clock_ns();
        e->board->sent[tag.sender]++;
        if (end_put(e, &tag) < 0) {
            fail(e);
            break;
        }
    }
    __atomic_fetch_add(&e->board->done, 1, __ATOMIC_RELEASE);
}

/* What a receiver remembers of each sender. */
struct memory {
    uint64_t expected[SENDERS_MAX]; /* the next number */
    unsigned char *seen;            /* for each message of each sender */
};

static void count(struct end *e, const struct tag *tag, uint64_t now, struct memory *m)
{
    struct tally *t = &e->board->tally[e->index];
    unsigned char *seen;

    if (tag->sender >= e->s->senders || tag->number >= e->board->count) {
        t->damaged++;
        return;
    }
    seen = &m->seen[tag->sender * e->board->count + tag->number];
    if (tag->number < m->expected[tag->sender])
        t->reordered++; /* or came twice */
    else
        m->expected[tag->sender] = tag->number + 1;
    if (*seen)
        return;
    *seen = 1;
    t->distinct++;
    times_of(e->board, e->index)[t->n++] = now - *stamp_of(e->board, tag);
}

static bool all_seen(const struct end *e, const struct memory *m)
{
    unsigned i;

    for (i = 0; i < e->s->senders; i++)
        if (m->expected[i] < e->board->count)
            return false;
    return true;
}

void live_receive(struct end *e)
{
    struct tally *t = &e->board->tally[e->index];
    struct memory m = {.seen = calloc(e->s->senders, e->board->count)};

    if (!m.seen)
        fail(e);
    while (m.seen && !all_seen(e, &m)) {
        struct tag tag;
        int r = end_get(e, &tag, PATIENCE_MS);
        uint64_t now = clock_ns();

        if (r == GOT && tag.warm_up)
            __atomic_fetch_or(&t->heard, 1u << (tag.sender % 32), __ATOMIC_RELEASE);
        else if (r == GOT)
            count(e, &tag, now, &m);
        else if (r == DAMAGED)
            t->damaged++;
        else if (stopped(e))
            break;
        else if (r == FAILED) {
            fail(e);
            break;
        }
    }
    free(m.seen);
}

void live_forward(struct end *e)
{
    bool last = false;

    while (!last) {
        struct tag tag;
        int r = end_get(e, &tag, PATIENCE_MS);

        if (r == NOTHING && stopped(e))
            break;
        if (r == GOT && end_put(e, &tag) < 0)
            r = FAILED;
        if (r == FAILED) {
            if (!stopped(e))
                fail(e);
            break;
        }
        last = r == GOT && !tag.warm_up && tag.number + 1 == e->board->count;
    }
}

/* Wait for the answer to a message. */
static bool answered(struct end *e, const struct tag *question, int ms)
{
    uint64_t end = clock_ns() + (uint64_t)ms * 1000000u;
    struct tag tag;

    do {
        int r = end_get(e, &tag, ms);

        if (r == DAMAGED)
            e->board->tally[0].damaged++;
        if (r == GOT && tag.warm_up == question->warm_up && tag.number == question->number)
            return true;
        if (r == GOT && !tag.warm_up)
            e->board->tally[0].reordered++; /* or came twice */
    } while (clock_ns() < end && !stopped(e));
    return false;
}

void live_ping(struct end *e)
{
    struct tally *t = &e->board->tally[0];
    struct tag tag = {.sender = 0, .warm_up = true};

    do {
        if (stopped(e) || end_put(e, &tag) < 0) {
            fail(e);
            return;
        }
    } while (!answered(e, &tag, WARM_UP_MS));
    t->heard = 1;
    __atomic_fetch_add(&e->board->warm, 1, __ATOMIC_RELEASE);
    tag.warm_up = false;
    for (tag.number = 0; tag.number < e->board->count && !stopped(e); tag.number++) {
        uint64_t start = clock_ns();

        e->board->sent[0]++;
        if (end_put(e, &tag) < 0) {
            fail(e);
            break;
        }
        if (answered(e, &tag, ANSWER_MS)) {
            times_of(e->board, 0)[t->n++] = (clock_ns() - start) / 2;
            t->distinct++;
        } else if (e->board->sent[0] - t->distinct >= LOST_ANSWERS_MAX) {
            break;
        }
    }
    __atomic_fetch_add(&e->board->done, 1, __ATOMIC_RELEASE);
}

static bool open_links(struct end *e)
{
    if (e->c->join && !e->c->join())
        return false;
    if (e->in && !(e->in = link_open(e->in, RECEIVER, e->index, e->buffer)))
        return false;
    return !e->out || (e->out = link_open(e->out, SENDER, e->index, e->buffer));
}

bool end_begin(struct end *e)
{
    const struct sched_param fifo = {.sched_priority = RUN_FIFO_PRIORITY};

    machine_pin(e->cpu);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    if (e->s->fifo && sched_setscheduler(0, SCHED_FIFO, &fifo) != 0)
        return false;
    return posix_memalign((void **)&e->buffer, ALIGNMENT, e->s->size + sizeof(uint64_t)) == 0 &&
           open_links(e);
}

void end_finish(struct end *e)
{
    if (e->out)
        link_close(e->out);
    if (e->in)
        link_close(e->in);
    if (e->c->leave)
        e->c->leave();
    free(e->buffer);
}

void end_run(struct end *e)
{
    bool main_side = e->live == live_send || e->live == live_ping;

    signal(SIGTERM, SIG_DFL);
    if (main_side ? bench.slow_main : bench.slow_peer)
        brake_start();
    if (!end_begin(e)) {
        fail(e);
        return;
    }
    e->live(e);
    end_finish(e);
}
