/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * polled.c - readers that poll cost a put no instruction, only cache lines
 *
 * The instructions of a put are counted by valgrind, which runs the writer; the
 * readers run beside it as they are. The time of a put is compared with what
 * one cache line takes from one core to the other, measured in the same rounds:
 * half of the time until a line that two cores write in turn is back.
 */
#include "scaling.h"
#include "ticks.h"

#define CHANNEL "polled"
#define BATCHES 41u
#define TRIPS 200u

static const unsigned readers[] = {0, 1, 16};
static const char *const names[] = {"no reader", "1 reader", "16 readers"};

int polled_repeat(const char *channel)
{
    struct user w = {0};

    channel_open(&w.chan, channel, false, 0);
    user_put(&w, INSTRUCTIONS_REPEAT);
    return 0;
}

/* Every count begins at the same place of the ring, which has gone around. */
void polled_count(const struct group *g, unsigned round)
{
    static struct crowd c;
    unsigned i;

    crowd_init(&c, CHANNEL);
    user_put(&c.user, INSTRUCTIONS_REPEAT);
    for (i = 0; i < ARRAY_SIZE(readers); i++) {
        crowd_start(&c, readers[i], crowd_poll);
        row_value(g, names[i], 0, round, instructions_in("ach_put", CHANNEL));
        crowd_stop(&c);
    }
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

void polled_measure(const struct group *g, unsigned round)
{
    double ns[ARRAY_SIZE(readers)], line;
    static struct crowd c;
    unsigned i;

    crowd_init(&c, CHANNEL);
    crowd_start(&c, 1, line_echo);
    line = batch_ns(line_batch, &c.shared->member[0].count, TRIPS, BATCHES) / 2;
    crowd_stop(&c);
    row_value(g, "one cache line", 0, round, line);
    for (i = 0; i < ARRAY_SIZE(readers); i++) {
        ns[i] = crowd_polled_ns(&c, readers[i]);
        if (ns[i] > 0)
            row_value(g, names[i], 0, round, ns[i]);
    }
    if (ns[1] > 0)
        row_value(g, "1 reader, less none and two lines", 0, round, ns[1] - ns[0] - 2 * line);
}
