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

#include "scaling.h"
#include "ticks.h"

#define WAKES 60u
#define QUICK_WAKES 10u
#define WARM_UP 5u
#define QUIET_NS 20000.0
#define PATIENCE_NS 120000000000u

static void sleep_main(void *crowd)
{
    crowd_get(crowd, ACH_O_WAIT);
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

static double wake_ns(struct crowd *c, unsigned readers, unsigned wakes)
{
    struct samples samples = {0};
    int state[CROWD_MAX];
    unsigned i;

    crowd_start(c, readers, sleep_main);
    for (i = 0; i < readers; i++)
        state[i] = open_state(c->pid[i]);
    for (i = 0; i < wakes + WARM_UP; i++) {
        uint64_t start;

        wait_for_sleep(c, state, i);
        start = ticks();
        user_put(&c->user, 1);
        if (i >= WARM_UP)
            samples_add(&samples, ticks_to_ns(start, ticks()));
    }
    wait_for_sleep(c, state, i);
    __atomic_store_n(&c->shared->stop, 1, __ATOMIC_RELEASE);
    user_put(&c->user, 1);
    crowd_stop(c);
    for (i = 0; i < readers; i++)
        close(state[i]);
    return samples_median(&samples);
}

void readers_measure(const struct group *g, unsigned round)
{
    static const unsigned counts[] = {0, 1, 2, 4, 8, 16};
    unsigned i, wakes = bench.quick ? QUICK_WAKES : WAKES;
    static struct crowd c;

    crowd_init(&c, "readers");
    for (i = 0; i < ARRAY_SIZE(counts); i++) {
        double ns = bench.machine.cpus > 1 ? crowd_polled_ns(&c, counts[i]) : 0;

        if (ns > 0)
            row_value(g, "they poll", counts[i], round, ns);
        row_value(g, "they sleep", counts[i], round, wake_ns(&c, counts[i], wakes));
    }
    if (bench.machine.cpus > 1)
        note("The writer has a CPU to itself; the readers share %d.", bench.machine.cpus - 1);
    else
        note("Readers that poll: could not be measured: one processor.");
    note("A put to sleeping readers begins when all of them sleep and wakes them all; puts to "
         "polling readers follow each other at once.");
}
