/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers.c - what readers cost the one who puts
 *
 * Readers that poll look all the time, and the writer puts all the time.
 * Readers that sleep are all asleep in ach_get before a put that counts begins:
 * it wakes them all. The writer has a core of its own; the readers share the
 * others.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"
#include "crowd.h"
#include "ticks.h"

#define WAKES 60u
#define QUICK_WAKES 10u
#define WARM_UP 5u
#define QUIET_NS 20000.0
#define PATIENCE_NS 120000000000u

static const unsigned counts[] = {0, 1, 2, 4, 8, 16};

static const struct curve about = {
    .name = "readers",
    .title = "Put of 64 B while others read",
    .x_label = "readers",
    .y_label = "ns",
    .y_log = true,
};

static void sleep_main(void *arg)
{
    unsigned char message[MESSAGE_SIZE];
    struct crowd *c = arg;
    struct member *self = &c->shared->member[c->shared->index];
    ach_channel_t chan;
    size_t size;

    crowd_stand_aside(c);
    channel_open(&chan, c->channel, false, 0);
    peer_ready();
    while (!crowd_stopped(c)) {
        MUST_ACH(ach_get(&chan, message, sizeof(message), &size, NULL, ACH_O_WAIT | ACH_O_LAST));
        __atomic_store_n(&self->count, self->count + 1, __ATOMIC_RELEASE);
    }
    ach_close(&chan);
}

static int open_state(pid_t pid)
{
    char path[64];
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    MUST_SYS(fd >= 0);
    return fd;
}

static bool asleep(int fd)
{
    char text[128] = "";
    const char *end;

    MUST_SYS(pread(fd, text, sizeof(text) - 1, 0) > 0);
    end = strrchr(text, ')');
    return end && end[1] == ' ' && end[2] == 'S';
}

/* Wait until every reader has all messages and sleeps. */
static void wait_for_sleep(const struct crowd *c, const int *state, uint64_t messages)
{
    uint64_t start = clock_ns();
    unsigned i;

    for (i = 0; i < c->count; i++) {
        while (__atomic_load_n(&c->shared->member[i].count, __ATOMIC_ACQUIRE) < messages ||
               !asleep(state[i])) {
            if (clock_ns() - start > PATIENCE_NS)
                attempt_fail("a reader did not fall asleep");
            usleep(20);
        }
    }
    ticks_pause(QUIET_NS);
}

static double wake_ns(struct crowd *c, struct writer *w, unsigned readers, unsigned wakes)
{
    struct samples samples = {0};
    int state[CROWD_MAX];
    unsigned i;
    double p50;

    crowd_start(c, readers, sleep_main);
    for (i = 0; i < readers; i++)
        state[i] = open_state(c->pid[i]);
    for (i = 0; i < wakes + WARM_UP; i++) {
        uint64_t start;

        wait_for_sleep(c, state, i);
        start = ticks();
        writer_put(w, 1);
        if (i >= WARM_UP)
            samples_add(&samples, ticks_to_ns(start, ticks()));
    }
    wait_for_sleep(c, state, i);
    __atomic_store_n(&c->shared->stop, 1, __ATOMIC_RELEASE);
    writer_put(w, 1);
    crowd_stop(c);
    for (i = 0; i < readers; i++)
        close(state[i]);
    p50 = samples_quantile(&samples, 0.5);
    samples_finish(&samples);
    return p50;
}

static void measure(struct curve *curve, struct crowd *c, struct writer *w, unsigned readers)
{
    const struct scaling *s = c->scaling;
    double ns = s->machine.cpus > 1 ? crowd_polled_ns(c, w, readers) : 0;

    if (ns > 0)
        curve_sample(curve, "they poll", readers, ns);
    curve_sample(curve, "they sleep", readers,
                 wake_ns(c, w, readers, s->quick ? QUICK_WAKES : WAKES));
}

void readers_part(struct scaling *s)
{
    struct curve *curve = scaling_curve(s, &about);
    struct writer w = {0};
    struct crowd crowd;
    unsigned round, i;

    channel_make("readers", ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, false);
    channel_open(&w.chan, "readers", false, 0);
    crowd_init(&crowd, s, "readers");
    for (round = 0; round < s->rounds; round++) {
        scaling_progress(s, "readers", round);
        for (i = 0; i < ARRAY_SIZE(counts); i++)
            measure(curve, &crowd, &w, counts[i]);
    }
    if (s->machine.cpus > 1)
        scaling_note(s, "The writer has a CPU to itself; the readers share %d.",
                     s->machine.cpus - 1);
    else
        scaling_note(s, "Readers that poll: could not be measured: one processor.");
    scaling_note(s, "A put to sleeping readers begins when all of them sleep and wakes them all; "
                    "puts to polling readers follow each other at once.");
    crowd_finish(&crowd);
    ach_close(&w.chan);
    ach_unlink("readers");
}
