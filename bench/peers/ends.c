/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.c - what the processes of a run do */
#include <math.h>
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
#define FEW 5u
#define MANY 100u
#define BURST_GAP_NS 30000.0
#define LONGER 1.7
#define HALT_NS 30000000u

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

/* The receiver's processor time since the first message that counts. */
static void tally_cpu(const struct end *e, struct tally *t, uint64_t number, uint64_t now)
{
    struct timespec used;
    uint64_t cpu;

    if (number < e->run->first || !e->run->s->periodic)
        return;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    cpu = (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
    if (!t->begin) {
        t->begin = now;
        t->cpu_begin = cpu;
    } else if (number + 1 == e->run->count) {
        t->cpu = (double)(cpu - t->cpu_begin) / (double)(now - t->begin);
    }
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
        tally_cpu(e, t, tag.number, now);
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

/* From one message to the next. */
static double gap_ns(const struct setting *s, uint64_t number)
{
    double period = s->rate_hz > 0 ? (double)NS_PER_S / s->rate_hz : 0;

    switch (s->pattern) {
    case RANDOM:
        return -period * log(((double)random() + 1) / (RAND_MAX + 1.0));
    case BURSTS:
        return number % FEW == FEW - 1 ? FEW * period : BURST_GAP_NS;
    case CHANGING:
        return number / MANY % 2 ? LONGER * period : period;
    case PAUSING:
        return number % MANY == MANY - 1 ? MANY * period : period;
    case STEADY:
    default:
        return period;
    }
}

static uint64_t jitter_ns(const struct setting *s)
{
    return s->jitter_us > 0 ? (uint64_t)random() % (uint64_t)(s->jitter_us * 1000) : 0;
}

void end_send(struct end *e)
{
    const struct setting *s = e->run->s;
    struct board *b = e->run->board;
    struct tag tag = {.sender = e->index};
    uint64_t *sent;
    unsigned unanswered = 0;
    double due;

    if (!warm_up(e))
        return;
    due = (double)clock_ns() + WARM_UP_MS * 1e6 + gap_ns(s, 0) * e->index / s->senders;
    for (; tag.number < e->run->count && unanswered < LOST_ANSWERS_MAX && !is_over(e);
         tag.number++) {
        sent = run_time(e->run, 0, e->index, tag.number);
        if (!e->in)
            sleep_until((uint64_t)due + jitter_ns(s));
        *sent = clock_ns();
        b->sent[e->index]++;
        if (!put(e, &tag))
            break;
        if (s->periodic && tag.number >= e->run->first)
            __atomic_fetch_add(&b->put_ns, clock_ns() - *sent, __ATOMIC_RELAXED);
        if (e->in)
            unanswered += !answered(e, &tag, ANSWER_MS);
        if (s->pause)
            due += (double)held_up(b, (uint64_t)due, *sent);
        due += gap_ns(s, tag.number);
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
    unsigned taken = 0;

    while (!all_came(e)) {
        int r = take(e, PATIENCE_MS);

        if (e->run->s->halts && ++taken % MANY == 0)
            sleep_until(clock_ns() + HALT_NS);
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

    if (s->periodic && !s->one_cpu && !s->apart)
        machine_unpin();
    else
        machine_pin(s->one_cpu ? bench.machine.main_cpu : e->cpu);
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
