/* SPDX-License-Identifier: BSD-3-Clause */
#include "robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_NS 250000000u

volatile sig_atomic_t robot_stop;

static void on_term(int sig)
{
    (void)sig;
    robot_stop = 1;
}

void robot_handle_signals(void)
{
    struct sigaction sa = {.sa_handler = on_term};

    sigaction(SIGTERM, &sa, NULL);
}

uint64_t robot_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void robot_must(ach_status_t r, const char *what)
{
    if (r == ACH_OK)
        return;
    fprintf(stderr, "%s: %s %s\n", what, ach_result_to_string(r), ach_errstr());
    exit(1);
}

void robot_open(ach_channel_t *chan, const char *name, size_t count, size_t size)
{
    ach_create_attr_t attr;
    ach_status_t r;

    ach_create_attr_init(&attr);
    ach_create_attr_set_timestamps(&attr, 1);
    ach_create_attr_set_anticipated(&attr, 1);
    r = ach_create(name, count, size, &attr);
    robot_must(r == ACH_EEXIST ? ACH_OK : r, name);
    robot_must(ach_open(chan, name, NULL), name);
}

bool robot_got(ach_status_t r)
{
    return ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME);
}

void meter_init(struct meter *m, const char *name)
{
    memset(m, 0, sizeof(*m));
    robot_open(&m->chan, ROBOT_REPORT, 64, sizeof(struct report));
    snprintf(m->report.name, sizeof(m->report.name), "%s", name);
    m->began_ns = robot_now_ns();
}

void meter_count(struct meter *m, uint64_t sent_ns, uint64_t missed)
{
    const uint32_t room = sizeof(m->latency_us) / sizeof(m->latency_us[0]);

    m->report.count++;
    m->report.missed = missed;
    if (sent_ns && m->samples < room)
        m->latency_us[m->samples++] = (uint32_t)((robot_now_ns() - sent_ns) / 1000);
    meter_tick(m);
}

static int by_size(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void summarise(struct meter *m)
{
    uint32_t n = m->samples, *l = m->latency_us;

    memset(m->report.latency_us, 0, sizeof(m->report.latency_us));
    if (n == 0)
        return;
    qsort(l, n, sizeof(*l), by_size);
    m->report.latency_us[0] = l[n / 2];
    m->report.latency_us[1] = l[n - 1 - n / 100];
    m->report.latency_us[2] = l[n - 1];
}

void meter_tick(struct meter *m)
{
    uint64_t now = robot_now_ns();

    if (now - m->began_ns < INTERVAL_NS)
        return;
    summarise(m);
    m->report.interval_ns = now - m->began_ns;
    ach_put(&m->chan, &m->report, sizeof(m->report));
    m->began_ns = now;
    m->report.count = 0;
    m->samples = 0;
}
