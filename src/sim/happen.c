/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * happen.c - what happens in the world, and who is woken by it
 *
 * What a controller puts is announced with its note. What the devices of the robot put is
 * found by looking at their channels, those that somebody has ever waited for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../device/channel/names.h"
#include "client/event.h"
#include "sim.h"

#define SETTLE 10.0            /* wall seconds that drivers may take at one point in time */
#define SERVE_EVERY 10000000LL /* wall time between two looks for requests from outside */

struct watched {
    achi_event_t event;
    char name[ACH_CHAN_NAME_MAX];
    ach_channel_t chan;
    bool open;
};

struct achi_watch {
    size_t n;
    struct watched all[];
};

static void add(struct achi_watch *w, const char *name)
{
    struct watched *one = &w->all[w->n++];

    snprintf(one->name, sizeof(one->name), "%s", name);
    one->event = achi_event_channel(name);
}

/* The data of all devices, and the answers to requests. */
ach_status_t achi_watch_open(struct achi_sim *s)
{
    size_t i, n = ach_robot_devices(s->robot, NULL, 0);
    ach_device_info_t *devices = calloc(n + 1, sizeof(*devices));
    uint32_t robot = ach_robot_number(s->robot);
    char name[ACH_CHAN_NAME_MAX];

    s->watch = calloc(1, sizeof(*s->watch) + (n + 1) * sizeof(s->watch->all[0]));
    if (!devices || !s->watch) {
        free(devices);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a world");
    }
    ach_robot_devices(s->robot, devices, n);
    for (i = 0; i < n; i++) {
        achi_device_channel(robot, &devices[i].address, "data", name);
        add(s->watch, name);
    }
    achi_robot_channel(robot, "ans", name);
    add(s->watch, name);
    free(devices);
    return ACH_OK;
}

void achi_watch_close(struct achi_sim *s)
{
    size_t i;

    for (i = 0; s->watch && i < s->watch->n; i++)
        if (s->watch->all[i].open)
            ach_close(&s->watch->all[i].chan);
    free(s->watch);
    s->watch = NULL;
}

void achi_watch_want(struct achi_sim *s, const achi_event_t *events, unsigned n)
{
    size_t i;
    unsigned e;

    for (i = 0; i < s->watch->n; i++) {
        struct watched *w = &s->watch->all[i];

        for (e = 0; e < n && !w->open; e++)
            if (events[e] == w->event)
                w->open = ach_open(&w->chan, w->name, NULL) == ACH_OK;
    }
}

static void wake(struct achi_sim *s, achi_event_t event, int64_t time)
{
    struct achi_sink *k;

    s->recent[s->posts++ % ACHI_POSTS] = event;
    for (k = s->sinks; k; k = k->next) {
        int64_t when = time > k->time ? time : k->time;

        if (k->phase == ACHI_WAITS && achi_sink_names(k, event) && when < k->wake) {
            k->wake = when;
            k->timed = false;
        }
    }
}

/* What it waits for may have happened between its last look and its note. */
bool achi_happened_since(const struct achi_sim *s, const struct achi_sink *k)
{
    uint64_t i;

    if (k->n_events == 0 || k->since >= s->posts)
        return false;
    if (s->posts - k->since > ACHI_POSTS)
        return true; /* nobody knows any more */
    for (i = k->since; i < s->posts; i++)
        if (achi_sink_names(k, s->recent[i % ACHI_POSTS]))
            return true;
    return false;
}

/* Get without room for a message: it is there if it does not fit. */
static void look_at_channels(struct achi_sim *s, int64_t time)
{
    size_t i, size;

    for (i = 0; i < s->watch->n; i++) {
        struct watched *w = &s->watch->all[i];

        if (w->open && ach_get(&w->chan, NULL, 0, &size, NULL, ACH_O_LAST) == ACH_OVERFLOW) {
            ach_flush(&w->chan);
            wake(s, w->event, time);
        }
    }
}

/* When a driver with a thread of its own wakes up, rounded up to a nanosecond. */
static int64_t robot_next(const struct achi_sim *s)
{
    double next = ach_robot_next(s->robot);

    return next < 9e9 ? (int64_t)ceil(next * 1e9) : ACHI_SIM_NEVER;
}

int64_t achi_happen_next(struct achi_sim *s)
{
    int64_t world = achi_world_next(s->world), robot = robot_next(s);

    if (robot < s->now)
        robot = s->now;
    return world < robot ? world : robot;
}

static bool settle(struct achi_sim *s)
{
    return ach_robot_settle(s->robot, SETTLE) == ACH_OK || achi_sim_fail(s, "%s", ach_errstr());
}

/* It is that time now. */
static bool arrive(struct achi_sim *s, int64_t time)
{
    double seconds = (double)time * 1e-9, next = ach_robot_next(s->robot);

    if (next > seconds && next < seconds + 1e-9) /* rounded */
        seconds = next;
    s->now = time;
    ach_robot_set_time(s->robot, seconds);
    if (achi_world_run(s->world, time) != ACH_OK)
        return achi_sim_fail(s, "the world: %s", ach_errstr());
    return settle(s);
}

bool achi_happen_at(struct achi_sim *s, int64_t time)
{
    if (!arrive(s, time))
        return false;
    look_at_channels(s, time);
    return true;
}

/* Nothing that a controller has put waits in a channel for its time. */
static bool is_quiet(const struct achi_sim *s)
{
    const struct achi_sink *k = s->sinks;

    while (k && !k->post && (k->phase != ACHI_COMPUTES || k->stopped))
        k = k->next;
    return !k;
}

/*
 * Requests of programs outside, which say nothing to us. They act now, whenever that is: the world
 * may have had nothing to do for long, and a device that is opened begins at the world's time.
 */
void achi_happen_serve(struct achi_sim *s)
{
    int64_t wall = achi_wall();

    if (wall - s->wall_served < SERVE_EVERY || !is_quiet(s))
        return;
    s->wall_served = wall;
    if (!arrive(s, s->now))
        return;
    if (ach_channels_poll(s->channels, SETTLE) != ACH_OK) {
        achi_sim_fail(s, "%s", ach_errstr());
        return;
    }
    if (settle(s))
        look_at_channels(s, s->now);
}

void achi_happen_signal(struct achi_sim *s, pid_t pid, int64_t time)
{
    wake(s, achi_event_signal(pid), time);
}

void achi_happen_post(struct achi_sim *s, achi_event_t event, int64_t time)
{
    if (time < s->now)
        time = s->now;
    if (!arrive(s, time))
        return;
    if (ach_channels_poll(s->channels, SETTLE) != ACH_OK) {
        achi_sim_fail(s, "%s", ach_errstr());
        return;
    }
    if (!settle(s))
        return;
    wake(s, event, time);
    look_at_channels(s, time);
}
