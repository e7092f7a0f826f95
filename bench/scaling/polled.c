/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * polled.c - readers that poll cost a put no instruction, only cache lines
 *
 * The instructions of a put are counted by valgrind, which runs the writer; the
 * readers run beside it as they are. The time of a put is compared with what
 * one cache line takes from one core to the other, measured in the same rounds:
 * half of the time until a line that two cores write in turn is back.
 */
#include "crowd.h"
#include "instructions.h"
#include "ticks.h"

#define CHANNEL "polled"
#define BATCHES 41u
#define TRIPS 200u

static const unsigned readers[POLLED_COUNTS] = {0, 1, 16};

int polled_repeat(const char *channel)
{
    struct writer w = {0};

    channel_open(&w.chan, channel, false, 0);
    writer_put(&w, INSTRUCTIONS_REPEAT);
    ach_close(&w.chan);
    return 0;
}

/* Every count begins at the same place of the ring, which has gone around. */
static void count_instructions(struct scaling *s, struct crowd *c, struct writer *w)
{
    struct polled *p = &s->polled;
    unsigned i;

    scaling_progress(s, "polled: instructions", 0);
    p->equal = true;
    writer_put(w, INSTRUCTIONS_REPEAT);
    for (i = 0; i < POLLED_COUNTS; i++) {
        crowd_start(c, readers[i], crowd_poll);
        p->instructions[i] = instructions_in("ach_put", CHANNEL);
        crowd_stop(c);
        p->equal = p->equal && p->instructions[i] > 0 && p->instructions[i] == p->instructions[0];
    }
    if (p->instructions[0] == 0)
        scaling_note(s, "Instructions were not counted: there is no valgrind that can.");
}

/* The line's word is odd when the other one has it. */
static void line_echo(void *arg)
{
    struct crowd *c = arg;
    uint64_t *line = &c->shared->member[0].count;

    peer_ready();
    while (!crowd_stopped(c)) {
        uint64_t n = __atomic_load_n(line, __ATOMIC_ACQUIRE);

        if (n & 1)
            __atomic_store_n(line, n + 1, __ATOMIC_RELEASE);
        else
            relax();
    }
}

static void line_batch(void *state, unsigned n)
{
    uint64_t *line = state;

    while (n--) {
        uint64_t mine = __atomic_load_n(line, __ATOMIC_ACQUIRE);

        __atomic_store_n(line, mine + 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(line, __ATOMIC_ACQUIRE) != mine + 2)
            relax();
    }
}

static double line_ns(struct crowd *c)
{
    double ns;

    crowd_start(c, 1, line_echo);
    ns = batch_ns(line_batch, &c->shared->member[0].count, TRIPS, BATCHES) / 2;
    crowd_stop(c);
    return ns;
}

static void measure_times(struct scaling *s, struct crowd *c, struct writer *w)
{
    struct samples put[POLLED_COUNTS] = {0}, line = {0}, extra = {0};
    struct polled *p = &s->polled;
    unsigned round, i;

    for (round = 0; round < s->rounds; round++) {
        double now[POLLED_COUNTS], transfer;

        scaling_progress(s, "polled", round);
        transfer = line_ns(c);
        for (i = 0; i < POLLED_COUNTS; i++) {
            now[i] = crowd_polled_ns(c, w, readers[i]);
            if (now[i] > 0)
                samples_add(&put[i], now[i]);
        }
        samples_add(&line, transfer);
        if (now[1] > 0)
            samples_add(&extra, now[1] - now[0] - 2 * transfer);
    }
    for (i = 0; i < POLLED_COUNTS; i++) {
        p->put_ns[i] = samples_quantile(&put[i], 0.5);
        samples_finish(&put[i]);
    }
    p->line_ns = samples_quantile(&line, 0.5);
    p->extra_ns = samples_quantile(&extra, 0.5);
    p->reached = p->put_ns[1] > 0 && p->extra_ns <= 0;
    samples_finish(&line);
    samples_finish(&extra);
}

void polled_part(struct scaling *s)
{
    struct writer w = {0};
    struct crowd crowd;
    unsigned i;

    for (i = 0; i < POLLED_COUNTS; i++)
        s->polled.readers[i] = readers[i];
    if (s->machine.cpus < 2) {
        scaling_note(s, "polled: could not be measured: one processor.");
        return;
    }
    channel_make(CHANNEL, ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, false);
    channel_open(&w.chan, CHANNEL, false, 0);
    crowd_init(&crowd, s, CHANNEL);
    count_instructions(s, &crowd, &w);
    measure_times(s, &crowd, &w);
    crowd_finish(&crowd);
    ach_close(&w.chan);
    ach_unlink(CHANNEL);
}
