/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * subject.c - a controller to experiment with
 *
 * usage: subject busy LOG
 *        subject clock SECONDS LOG
 *        subject loop PERIOD COMPUTE SECONDS LOG [DEVICE [GROWTH]]
 *
 * busy computes until it is told to end, and makes no calls. clock asks for the time again and
 * again. loop begins a cycle each period, or late, and computes so long in it. With a
 * device, it gets a sample before and puts a command after. In the end its work is GROWTH
 * times what it was. Times are in seconds; COMPUTE is CPU time.
 *
 * LOG is a file, or "-" for none. Its lines have nanoseconds. busy: the CPU time that it used.
 * clock: the time, in each millisecond, and how often it has gone back. loop: the time and the
 * CPU time before it computes, both after, then the joint's position, then the time when it woke
 * up.
 * The program knows nothing of simulations.
 */
#include <ach/proxies.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define PATIENCE 30.0 /* s */

static FILE *log_file; /* NULL: none */

static int64_t nanoseconds(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return nanoseconds(t);
}

static int64_t cpu(void)
{
    return now(CLOCK_THREAD_CPUTIME_ID);
}

/* Of an argument, in seconds; in nanoseconds. */
static int64_t duration(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    MUST(end != text && !*end && value >= 0);
    return (int64_t)(value * 1e9);
}

static void open_log(const char *name)
{
    MUST_SYS(strcmp(name, "-") == 0 || (log_file = fopen(name, "we")));
}

static volatile int64_t busy_since; /* for the handler */
static volatile int busy_log = -1;

/* The simulation does not intercept this call, so a thread that may not go on can make it, too. */
static int64_t cpu_by_kernel(void)
{
    struct timespec t = {0};

    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
    return nanoseconds(t);
}

static void on_end(int sig)
{
    char text[32];
    int n = snprintf(text, sizeof(text), "%" PRId64 "\n", cpu_by_kernel() - busy_since);

    (void)sig;
    _exit(busy_log < 0 || write(busy_log, text, (size_t)n) == n ? 0 : 1);
}

static _Noreturn void busy(void)
{
    volatile uint64_t count = 0;

    if (log_file)
        busy_log = fileno(log_file);
    signal(SIGTERM, on_end);
    busy_since = cpu_by_kernel();
    for (;;)
        count++;
}

/* Each millisecond is noted when it is first seen, and all are written in the end. */
static void ask_the_time(int64_t length)
{
    int64_t n = 0, back = 0, last = 0, i, t, begin;
    int64_t(*seen)[2] = calloc((size_t)(length / 1000000) + 1, sizeof(*seen));

    MUST(seen != NULL);
    begin = now(CLOCK_MONOTONIC);
    while ((t = now(CLOCK_MONOTONIC) - begin) < length) {
        back += t < last;
        last = t;
        if (t >= n * 1000000) {
            seen[n][0] = t + begin;
            seen[n++][1] = back;
        }
    }
    for (i = 0; log_file && i < n; i++)
        fprintf(log_file, "%" PRId64 " %" PRId64 "\n", seen[i][0], seen[i][1]);
    free(seen);
}

struct loop {
    int64_t period, compute, cycles;
    double growth;
    ach_device_t *device;
};

static double sense(ach_device_t *device)
{
    const ach_actarray_data_t *data;
    static double position;
    ach_message_t *m;
    ach_status_t status = ach_actarray_get_state(device, 0, ACH_O_LAST, &m, &data);

    if (status == ACH_STALE_FRAMES)
        return position;
    MUST_ACH(status);
    position = data->actuators_count ? (double)data->actuators[0].position : NAN;
    ach_message_unref(m);
    return position;
}

static void act(ach_device_t *device, int64_t cycle)
{
    const ach_actarray_current_cmd_t command = {.joint = 0,
                                                .current = 0.2F * (float)sin((double)cycle * 0.01)};

    MUST_ACH(ach_actarray_tell_current(device, &command));
}

/* Its CPU time is asked for seldom: that is no part of the work. */
static void compute(int64_t begin, int64_t length)
{
    volatile unsigned i;

    while (cpu() - begin < length)
        for (i = 0; i < 200; i++)
            continue;
}

static void cycle(const struct loop *l, int64_t i)
{
    double share = 1 + (l->growth - 1) * (double)i / (double)l->cycles;
    int64_t woke = now(CLOCK_MONOTONIC), t[2], c[2];
    double position = l->device ? sense(l->device) : 0;

    t[0] = now(CLOCK_MONOTONIC);
    c[0] = cpu();
    if (l->compute)
        compute(c[0], (int64_t)((double)l->compute * share));
    c[1] = cpu();
    t[1] = now(CLOCK_MONOTONIC);
    if (l->device)
        act(l->device, i);
    if (log_file)
        fprintf(log_file, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %.9g %" PRId64 "\n",
                t[0], c[0], t[1], c[1], position, woke);
}

/* A cycle that is late begins at once. */
static void loop(int argc, char **argv)
{
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = PATIENCE};
    struct loop l = {.period = duration(argv[2]),
                     .compute = duration(argv[3]),
                     .growth = argc > 7 ? (double)duration(argv[7]) / 1e9 : 1};
    int64_t next, i;

    MUST(l.period >= 1000);
    l.cycles = duration(argv[4]) / l.period;
    if (argc > 6)
        MUST_ACH(ach_device_open(argv[6], &attr, &l.device));
    next = (now(CLOCK_MONOTONIC) / l.period + 1) * l.period;
    for (i = 0; i < l.cycles; i++, next += l.period) {
        const struct timespec until = {next / 1000000000, next % 1000000000};

        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
            continue;
        cycle(&l, i);
    }
    if (l.device)
        ach_device_close(l.device);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (argc == 3 && strcmp(what, "busy") == 0) {
        open_log(argv[2]);
        busy();
    } else if (argc == 4 && strcmp(what, "clock") == 0) {
        open_log(argv[3]);
        ask_the_time(duration(argv[2]));
    } else if (argc >= 6 && argc <= 8 && strcmp(what, "loop") == 0) {
        open_log(argv[5]);
        loop(argc, argv);
    } else {
        attempt_fail("usage: subject busy LOG | clock SECONDS LOG | loop PERIOD COMPUTE SECONDS "
                     "LOG [DEVICE [GROWTH]]");
    }
    MUST_SYS(!log_file || fclose(log_file) == 0);
    return 0;
}
