/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * balance.c - swings a pendulum up and balances it
 *
 * usage: balance [--device ADDRESS] [--rate HZ] [--kp N] [--kd N] [--busy SECONDS]
 *                [--seconds SECONDS] [--log FILE] [--margin]
 *
 * The pendulum is the first joint of an actarray whose motor gives 1 N m for 1 A.
 * Hanging it is at 0. The program takes its time from clock_nanosleep and clock_gettime,
 * and opens its device by address: it does not know whether either is simulated.
 *
 * --busy has it compute so much longer in each cycle, between looking and acting. How much
 * of that the loop can bear is printed: its delay margin.
 *
 * Ends with 0 if the pendulum was upright all through the last second, with 3 if not.
 */
#include <ach.h>
#include <ach/proxies.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pendulum.h"

#define PATIENCE 5.0    /* s without data: something is wrong */
#define UPRIGHT 0.2     /* rad */
#define LAST 1000000000 /* ns at the end that count */
#define FELL 3

struct options {
    const char *device, *log;
    double rate, busy, seconds;
    bool margin;
};

struct state {
    ach_device_t *device;
    FILE *log;
    int64_t begin, sampled; /* ns */
    double angle, velocity; /* from upright */
    struct way way;
    int64_t down; /* when it was last not upright */
    double worst; /* since it is */
    unsigned cycles, missed;
};

static void fail(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    fputs("balance: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

static void must(ach_status_t status, const char *what)
{
    if (status != ACH_OK)
        fail("%s: %s: %s", what, ach_result_to_string(status), ach_errstr());
}

static int64_t read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t ns)
{
    const struct timespec t = {ns / 1000000000, ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        continue;
}

/* Compute for so long, whoever else gets the processor meanwhile. */
static void be_busy(double seconds)
{
    int64_t end = read_clock(CLOCK_THREAD_CPUTIME_ID) + (int64_t)(seconds * 1e9);

    if (seconds > 0)
        while (read_clock(CLOCK_THREAD_CPUTIME_ID) < end)
            continue;
}

/* The newest sample, if there is one that is not known yet. */
static void look(struct state *s, double patience)
{
    const ach_actarray_data_t *data;
    ach_message_t *m;
    ach_status_t status = ach_actarray_get_state(
        s->device, patience, ACH_O_LAST | (patience > 0 ? ACH_O_WAIT : 0), &m, &data);

    if (status == ACH_STALE_FRAMES)
        return;
    if (status != ACH_MISSED_FRAME)
        must(status, "the pendulum");
    if (data->actuators_count < 1)
        fail("the device has no joint");
    s->angle = remainder((double)data->actuators[0].position - M_PI, 2 * M_PI);
    s->velocity = (double)data->actuators[0].speed;
    ach_message_unref(m);
}

static void act(struct state *s, double torque)
{
    const ach_actarray_current_cmd_t command = {.joint = 0, .current = (float)torque};

    must(ach_actarray_tell_current(s->device, &command), "a torque");
}

static void judge(struct state *s, int64_t now)
{
    double off = fabs(s->angle);

    if (off > UPRIGHT) {
        s->down = now;
        s->worst = 0;
    } else if (off > s->worst && now - s->down > LAST) {
        s->worst = off;
    }
}

static void cycle(struct state *s, const struct pendulum *p, const struct options *o)
{
    int64_t now = read_clock(CLOCK_MONOTONIC);
    double torque;

    look(s, 0);
    torque = pendulum_torque(p, &s->way, s->angle, s->velocity, (double)(now - s->sampled) * 1e-9);
    be_busy(o->busy);
    act(s, torque);
    s->sampled = now;
    s->cycles++;
    judge(s, now);
    if (s->log)
        fprintf(s->log, "%.9f %.9g %.9g %.9g\n", (double)(now - s->begin) * 1e-9, s->angle,
                s->velocity, torque);
}

/* Cycles begin at multiples of the period, as samples do. Who is late leaves some out. */
static void run(struct state *s, const struct pendulum *p, const struct options *o)
{
    int64_t period = (int64_t)(1e9 / o->rate), next, now;

    look(s, PATIENCE);
    next = (read_clock(CLOCK_MONOTONIC) / period + 1) * period;
    s->begin = s->down = s->sampled = next;
    while (next - s->begin < (int64_t)(o->seconds * 1e9)) {
        sleep_until(next);
        cycle(s, p, o);
        next += period;
        for (now = read_clock(CLOCK_MONOTONIC); next < now; next += period)
            s->missed++;
    }
    act(s, 0);
}

static bool number(const char *option, const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    if (end == text || *end || !(*value >= 0 && *value < 1e9))
        fail("--%s: %s is not a number that fits", option, text);
    return true;
}

static void parse(int argc, char **argv, struct options *o, struct pendulum *p)
{
    static const struct option names[] = {
        {"device", required_argument, NULL, 'd'},
        {"log", required_argument, NULL, 'l'},
        {"margin", no_argument, NULL, 'm'},
        {"rate", required_argument, NULL, 'r'},
        {"kp", required_argument, NULL, 'p'},
        {"kd", required_argument, NULL, 'v'},
        {"busy", required_argument, NULL, 'b'},
        {"seconds", required_argument, NULL, 's'},
        {0},
    };
    double *const numbers['z' + 1] = {
        ['r'] = &o->rate, ['p'] = &p->kp, ['v'] = &p->kd, ['b'] = &o->busy, ['s'] = &o->seconds};
    int c, index;

    while ((c = getopt_long(argc, argv, "", names, &index)) != -1) {
        if (c == '?')
            exit(2);
        else if (numbers[c])
            number(names[index].name, optarg, numbers[c]);
        else if (c == 'm')
            o->margin = true;
        else
            *(c == 'd' ? &o->device : &o->log) = optarg;
    }
    if (optind < argc || !(o->rate > 0) || !(p->kp > 0))
        fail("give options only; rates and gains are above 0");
}

static void print_margin(const struct pendulum *p, const struct options *o)
{
    struct margin m = pendulum_margin(p);
    double left = m.delay - 0.5 / o->rate;

    printf("balance: crossover at %.1f rad/s, phase margin %.2f degrees, delay margin %.3f ms; "
           "%.3f ms of it are left for computation at %.0f Hz\n",
           m.crossover, m.phase * 180 / M_PI, m.delay * 1e3, left * 1e3, o->rate);
    fflush(stdout);
}

static bool verdict(const struct state *s)
{
    int64_t end = s->sampled - s->down;
    bool good = end >= LAST;

    if (good)
        printf("balance: balanced since %.3f s, within %.5f rad of upright; ",
               (double)(s->down - s->begin) * 1e-9, s->worst);
    else
        printf("balance: fell: at the end it was upright for %.3f s only; ", (double)end * 1e-9);
    printf("%u cycles, %u missed\n", s->cycles, s->missed);
    return good;
}

int main(int argc, char **argv)
{
    struct options o = {.device = "actarray:0", .rate = 1000, .seconds = 6};
    struct pendulum p = {.mass = 0.2,
                         .length = 0.3,
                         .radius = 0.03,
                         .kp = 180,
                         .kd = 0.324,
                         .swing = 0.35,
                         .strength = 7};
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = PATIENCE};
    struct state s = {0};
    bool good;

    parse(argc, argv, &o, &p);
    print_margin(&p, &o);
    if (o.margin)
        return 0;
    if (o.log && !(s.log = fopen(o.log, "we")))
        fail("cannot write %s: %s", o.log, strerror(errno));
    must(ach_device_open(o.device, &attr, &s.device), o.device);
    run(&s, &p, &o);
    good = verdict(&s);
    ach_device_close(s.device);
    if (s.log && fclose(s.log) != 0)
        fail("cannot write %s: %s", o.log, strerror(errno));
    return good ? 0 : FELL;
}
