/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.c - what the processes of a run do */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "peers.h"
#include "ticks.h"

#define PATIENCE_MS 100
#define WARM_UP_MS 10
#define WARM_UP_PAUSE_NS 1000000u
#define ANSWER_MS 500
#define LOST_ANSWERS_MAX 10u
#define ALIGNMENT 4096u
#define NS_PER_S 1000000000ull

void sleep_until(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static bool is_over(const struct end *e)
{
    return __atomic_load_n(&e->run->board->stop, __ATOMIC_ACQUIRE) != 0;
}

static void fail(const struct end *e)
{
    __atomic_fetch_add(&e->run->board->failed, 1, __ATOMIC_RELEASE);
}

/* False: failed. A message that finds no room is lost, and the receiver's to miss. */
static bool put(struct end *e, const struct tag *tag)
{
    bool ok = link_put(e->out, tag, !e->run->s->untouched) >= 0;

    if (!ok && !is_over(e))
        fail(e);
    return ok;
}

/* Receive a message, and count it. */
static int take(struct end *e, int timeout_ms)
{
    struct tally *t = &e->run->board->tally[e->index];
    struct tag tag;
    int r = link_get(e->in, &tag, !e->run->s->untouched, timeout_ms);
    uint64_t now = clock_ns(), *came;

    if (r == GOT && tag.warm_up) {
        __atomic_fetch_or(&t->heard, 1u << (tag.sender % 32), __ATOMIC_RELEASE);
    } else if (r == GOT && tag.sender < e->run->s->senders && tag.number < e->run->count) {
        came = run_time(e->run, 1 + e->index, tag.sender, tag.number);
        if (tag.number < t->expected[tag.sender])
            t->reordered++; /* or came twice */
        else
            t->expected[tag.sender] = tag.number + 1;
        if (!*came)
            *came = now;
    } else if (r == GOT || r == DAMAGED) {
        t->damaged++;
    }
    return r;
}

/* Wait for a message to come back. */
static bool answered(struct end *e, const struct tag *tag, int ms)
{
    uint64_t limit = clock_ns() + (uint64_t)ms * 1000000u;

    do {
        take(e, ms);
        if (tag->warm_up ? e->run->board->tally[0].heard != 0
                         : *run_time(e->run, 1, 0, tag->number) != 0)
            return true;
    } while (clock_ns() < limit && !is_over(e));
    return false;
}

static bool all_heard(const struct end *e)
{
    unsigned i;

    for (i = 0; i < e->run->s->receivers; i++)
        if (!(__atomic_load_n(&e->run->board->tally[i].heard, __ATOMIC_ACQUIRE) & 1u << e->index))
            return false;
    return true;
}

/* False: the run is over before it began. */
static bool warm_up(struct end *e)
{
    const struct tag tag = {.sender = e->index, .warm_up = true};
    uint32_t *warm = &e->run->board->warm;

    while (!all_heard(e)) {
        if (is_over(e) || !put(e, &tag))
            return false;
        if (e->in)
            answered(e, &tag, WARM_UP_MS);
        else
            sleep_until(clock_ns() + WARM_UP_PAUSE_NS);
    }
    __atomic_fetch_add(warm, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(warm, __ATOMIC_ACQUIRE) < e->run->s->senders && !is_over(e))
        sleep_until(clock_ns() + WARM_UP_PAUSE_NS);
    return !is_over(e);
}

/* After a send, in a run with a pause. Returns for how long the next ones shall be put off, so that
   what was held up is not sent in a burst. */
static uint64_t held_up(struct board *b, uint64_t due, uint64_t sent)
{
    uint64_t now = clock_ns();

    if (now - sent > b->longest_ns)
        b->longest_ns = now - sent;
    return now > due + BLOCKED_NS ? now - due : 0;
}

void end_send(struct end *e)
{
    const struct setting *s = e->run->s;
    struct board *b = e->run->board;
    struct tag tag = {.sender = e->index};
    double period = e->in ? 0 : (double)NS_PER_S / s->rate_hz;
    uint64_t start, due, *sent;
    unsigned unanswered = 0;

    if (!warm_up(e))
        return;
    start = clock_ns() + WARM_UP_MS * 1000000u + (uint64_t)(period * e->index / s->senders);
    for (; tag.number < e->run->count && unanswered < LOST_ANSWERS_MAX && !is_over(e);
         tag.number++) {
        due = start + (uint64_t)((double)tag.number * period);
        sent = run_time(e->run, 0, e->index, tag.number);
        if (!e->in)
            sleep_until(due);
        *sent = clock_ns();
        b->sent[e->index]++;
        if (!put(e, &tag))
            break;
        if (e->in)
            unanswered += !answered(e, &tag, ANSWER_MS);
        if (s->pause)
            start += held_up(b, due, *sent);
    }
    __atomic_fetch_add(&b->done, 1, __ATOMIC_RELEASE);
}

static bool all_came(const struct end *e)
{
    const struct tally *t = &e->run->board->tally[e->index];
    unsigned i;

    for (i = 0; i < e->run->s->senders; i++)
        if (t->expected[i] < e->run->count)
            return false;
    return true;
}

/* A call that fails because the process was stopped may succeed the next time. */
void end_receive(struct end *e)
{
    while (!all_came(e)) {
        int r = take(e, PATIENCE_MS);

        if ((r == NOTHING || r == FAILED) && is_over(e))
            break;
        if (r == FAILED && !e->run->s->pause) {
            fail(e);
            break;
        }
    }
}

void end_forward(struct end *e)
{
    struct tag tag = {0};
    int r;

    do {
        r = link_get(e->in, &tag, !e->run->s->untouched, PATIENCE_MS);
        if (r == FAILED && !is_over(e))
            fail(e);
        if (r == FAILED || (r == NOTHING && is_over(e)) || (r == GOT && !put(e, &tag)))
            break;
    } while (r != GOT || tag.warm_up || tag.number + 1 < e->run->count);
}

/* Take a core, timers that are not late on purpose, and memory; open the links. */
static bool begin(struct end *e)
{
    const struct setting *s = e->run->s;
    const struct contender *c = e->run->c;
    const struct sched_param fifo = {.sched_priority = FIFO_PRIORITY};
    void *buffer = NULL;

    machine_pin(e->cpu);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    return (!s->fifo || sched_setscheduler(0, SCHED_FIFO, &fifo) == 0) &&
           posix_memalign(&buffer, ALIGNMENT, s->size + sizeof(uint64_t)) == 0 &&
           (!c->join || c->join()) &&
           (!e->in || (e->in = link_open(e->in, RECEIVER, e->index, buffer))) &&
           (!e->out || (e->out = link_open(e->out, SENDER, e->index, buffer)));
}

void end_run(struct end *e)
{
    signal(SIGTERM, SIG_DFL);
    if (!begin(e)) {
        fail(e);
        return;
    }
    e->live(e);
    if (e->out)
        link_close(e->out);
    if (e->in)
        link_close(e->in);
    if (e->run->c->leave)
        e->run->c->leave();
}
