/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * subject.c - a controller to experiment with
 *
 * usage: subject busy [LOG]
 *        subject clock SECONDS LOG
 *        subject loop PERIOD COMPUTE SECONDS LOG [DEVICE [GROWTH]]
 *
 * busy computes until it is told to end, and makes no calls. clock asks for the time again and
 * again. loop begins a cycle each period, or late, and computes so long in it. With a
 * device, it gets a sample before and puts a command after. In the end its work is GROWTH
 * times what it was. Times are in seconds; COMPUTE is CPU time.
 *
 * Logs have lines of nanoseconds: the time as the controller sees it, and its CPU time. loop has
 * both before it computes and both after, then the joint's position, then the time when it
 * woke up. busy has only its CPU time, from its beginning to its end.
 * The program knows nothing of simulations.
 */
#include <ach.h>
#include <ach/proxies.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND 1000000
#define PATIENCE 30.0 /* s */

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "subject: %s: %s\n", what, why);
    exit(1);
}

static int64_t now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t cpu(void)
{
    return now(CLOCK_THREAD_CPUTIME_ID);
}

static double number(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= 0))
        fail(text, "not a number");
    return value;
}

static FILE *open_log(const char *name)
{
    FILE *log = fopen(name, "we");

    if (!log)
        fail(name, strerror(errno));
    return log;
}

static int close_log(FILE *log, const char *name)
{
    if (fclose(log) != 0)
        fail(name, strerror(errno));
    return 0;
}

static volatile int64_t busy_since; /* for the handler */
static volatile int busy_log = -1;

/* By the kernel itself: that is left even to who may not go on. */
static int64_t cpu_by_kernel(void)
{
    struct timespec t = {0};

    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void on_end(int sig)
{
    int64_t used = cpu_by_kernel() - busy_since;
    char text[32];
    int n = snprintf(text, sizeof(text), "%" PRId64 "\n", used);

    (void)sig;
    _exit(busy_log < 0 || write(busy_log, text, (size_t)n) == n ? 0 : 1);
}

static _Noreturn void busy(const char *name)
{
    volatile uint64_t count = 0;

    if (name)
        busy_log = fileno(open_log(name));
    signal(SIGTERM, on_end);
    busy_since = cpu_by_kernel();
    for (;;)
        count++;
}

/* Each millisecond is noted when it is first seen, and all are written in the end. */
static int ask_the_time(double seconds, const char *name)
{
    size_t n = 0, room = (size_t)(seconds * 1e3) + 1;
    int64_t(*seen)[2] = calloc(room, sizeof(*seen));
    int64_t begin = now(CLOCK_MONOTONIC), t;
    FILE *log = open_log(name);

    if (!seen)
        fail(name, "no memory");
    while ((t = now(CLOCK_MONOTONIC) - begin) < (int64_t)(seconds * 1e9)) {
        if (n < room && t >= (int64_t)n * MILLISECOND) {
            seen[n][0] = t + begin;
            seen[n++][1] = cpu();
        }
    }
    for (room = 0; room < n; room++)
        fprintf(log, "%" PRId64 " %" PRId64 "\n", seen[room][0], seen[room][1]);
    free(seen);
    return close_log(log, name);
}

struct loop {
    int64_t period, compute, cycles;
    double growth;
    ach_device_t *device;
    FILE *log;
};

static double sense(ach_device_t *device)
{
    const ach_actarray_data_t *data;
    static double position;
    ach_message_t *m;
    ach_status_t status = ach_actarray_get_state(device, 0, ACH_O_LAST, &m, &data);

    if (status == ACH_OK || status == ACH_MISSED_FRAME) {
        position = data->actuators_count ? (double)data->actuators[0].position : NAN;
        ach_message_unref(m);
    } else if (status != ACH_STALE_FRAMES) {
        fail("a sample", ach_errstr());
    }
    return position;
}

static void act(ach_device_t *device, int64_t cycle)
{
    const ach_actarray_current_cmd_t command = {.joint = 0,
                                                .current = 0.2F * (float)sin((double)cycle * 0.01)};

    if (ach_actarray_tell_current(device, &command) != ACH_OK)
        fail("a command", ach_errstr());
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
    double share = l->growth * (double)i / (double)l->cycles + 1 - (double)i / (double)l->cycles;
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
    if (l->log)
        fprintf(l->log, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %.9g %" PRId64 "\n", t[0],
                c[0], t[1], c[1], position, woke);
}

/* Who is late goes on at once. */
static void loop(const struct loop *l)
{
    int64_t next = (now(CLOCK_MONOTONIC) / l->period + 1) * l->period, i;

    for (i = 0; i < l->cycles; i++, next += l->period) {
        const struct timespec until = {next / 1000000000, next % 1000000000};

        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
            continue;
        cycle(l, i);
    }
}

static int run_loop(int argc, char **argv)
{
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = PATIENCE};
    struct loop l = {.period = (int64_t)(number(argv[2]) * 1e9),
                     .compute = (int64_t)(number(argv[3]) * 1e9),
                     .growth = argc > 7 ? number(argv[7]) : 1};

    if (l.period < 1000)
        fail(argv[2], "the period is too short");
    l.cycles = (int64_t)(number(argv[4]) * 1e9) / l.period;
    if (strcmp(argv[5], "-") != 0)
        l.log = open_log(argv[5]);
    if (argc > 6 && ach_device_open(argv[6], &attr, &l.device) != ACH_OK)
        fail(argv[6], ach_errstr());
    loop(&l);
    if (l.device)
        ach_device_close(l.device);
    return l.log ? close_log(l.log, argv[5]) : 0;
}

int main(int argc, char **argv)
{
    if ((argc == 2 || argc == 3) && strcmp(argv[1], "busy") == 0)
        busy(argc == 3 ? argv[2] : NULL);
    if (argc == 4 && strcmp(argv[1], "clock") == 0)
        return ask_the_time(number(argv[2]), argv[3]);
    if (argc >= 6 && argc <= 8 && strcmp(argv[1], "loop") == 0)
        return run_loop(argc, argv);
    fail("usage", "subject busy [LOG] | clock SECONDS LOG | loop PERIOD COMPUTE SECONDS LOG "
                  "[DEVICE [GROWTH]]");
    return 2;
}
