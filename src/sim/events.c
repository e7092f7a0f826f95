/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events.c - the world's steps, and the sinks that its events wake
 *
 * A controller announces its puts with a POST note. Puts of the robot's devices are found by
 * polling their channels, those that a sink has ever waited for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../device/channel/names.h"
#include "client/event.h"
#include "sim.h"

#define SETTLE 10.0            /* wall seconds that drivers may take to settle */
#define SERVE_EVERY 10000000LL /* wall time between two polls for requests from outside */

struct watched {
    sim_event_t event;
    char name[ACH_CHAN_NAME_MAX];
    ach_channel_t chan;
    bool open;
};

struct sim_watch {
    size_t n;
    struct watched all[];
};

static void add(struct sim_watch *w, const char *name)
{
    struct watched *one = &w->all[w->n++];

    snprintf(one->name, sizeof(one->name), "%s", name);
    one->event = simc_event_channel(name);
}

/* Watched: the data channels of all devices, and the channel with answers to requests. */
ach_status_t sim_watch_open(struct sim_sim *s)
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
        devch_device_channel(robot, &devices[i].address, "data", name);
        add(s->watch, name);
    }
    devch_robot_channel(robot, "ans", name);
    add(s->watch, name);
    free(devices);
    return ACH_OK;
}

void sim_watch_close(struct sim_sim *s)
{
    size_t i;

    for (i = 0; s->watch && i < s->watch->n; i++)
        if (s->watch->all[i].open)
            ach_close(&s->watch->all[i].chan);
    free(s->watch);
    s->watch = NULL;
}

void sim_watch_want(struct sim_sim *s, const sim_event_t *events, unsigned n)
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

static void wake(struct sim_sim *s, sim_event_t event, int64_t time)
{
    struct sim_sink *k;

    s->recent[s->posts++ % SIM_POSTS] = event;
    for (k = s->sinks; k; k = k->next) {
        int64_t when = time > k->time ? time : k->time;

        if (k->phase == SIM_WAITS && sim_sink_names(k, event) && when < k->wake) {
            k->wake = when;
            k->timed = false;
        }
    }
}

/* An event may have happened between the sink's last check and its WAIT note. */
bool sim_events_since(const struct sim_sim *s, const struct sim_sink *k)
{
    uint64_t i;

    if (k->n_events == 0 || k->since >= s->posts)
        return false;
    if (s->posts - k->since > SIM_POSTS)
        return true; /* overwritten: assume that it happened */
    for (i = k->since; i < s->posts; i++)
        if (sim_sink_names(k, s->recent[i % SIM_POSTS]))
            return true;
    return false;
}

/* Get into an empty buffer: ACH_OVERFLOW means that there is a message. */
static void look_at_channels(struct sim_sim *s, int64_t time)
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
static int64_t robot_next(const struct sim_sim *s)
{
    double next = ach_robot_next(s->robot);

    return next < 9e9 ? (int64_t)ceil(next * 1e9) : SIM_NEVER;
}

int64_t sim_events_next(struct sim_sim *s)
{
    int64_t world = simd_world_next(s->world), robot = robot_next(s);

    if (robot < s->now)
        robot = s->now;
    return world < robot ? world : robot;
}

static bool settle(struct sim_sim *s)
{
    return ach_robot_settle(s->robot, SETTLE) == ACH_OK || sim_fail(s, "%s", ach_errstr());
}

/* Advance the robot's clock and the world to time, and let drivers settle. */
static bool arrive(struct sim_sim *s, int64_t time)
{
    double seconds = (double)time * 1e-9, next = ach_robot_next(s->robot);

    if (next > seconds && next < seconds + 1e-9) /* rounded */
        seconds = next;
    s->now = time;
    ach_robot_set_time(s->robot, seconds);
    if (simd_world_run(s->world, time) != ACH_OK)
        return sim_fail(s, "the world: %s", ach_errstr());
    return settle(s);
}

bool sim_events_at(struct sim_sim *s, int64_t time)
{
    if (!arrive(s, time))
        return false;
    look_at_channels(s, time);
    return true;
}

/* No sink can have a message in a channel whose time has not come yet. */
static bool is_quiet(const struct sim_sim *s)
{
    const struct sim_sink *k = s->sinks;

    while (k && !k->post && (k->phase != SIM_COMPUTES || k->stopped))
        k = k->next;
    return !k;
}

/*
 * Serve requests of programs outside, which send no notes. They take effect at s->now. The world
 * is moved there first: its last step may be long past, and a device opens at the world's time.
 */
void sim_events_serve(struct sim_sim *s)
{
    int64_t wall = monotonic_ns();

    if (wall - s->wall_served < SERVE_EVERY || !is_quiet(s))
        return;
    s->wall_served = wall;
    if (!arrive(s, s->now))
        return;
    if (ach_channels_poll(s->channels, SETTLE) != ACH_OK) {
        sim_fail(s, "%s", ach_errstr());
        return;
    }
    if (settle(s))
        look_at_channels(s, s->now);
}

void sim_events_signal(struct sim_sim *s, pid_t pid, int64_t time)
{
    wake(s, simc_event_signal(pid), time);
}

void sim_events_post(struct sim_sim *s, sim_event_t event, int64_t time)
{
    if (time < s->now)
        time = s->now;
    if (!arrive(s, time))
        return;
    if (ach_channels_poll(s->channels, SETTLE) != ACH_OK) {
        sim_fail(s, "%s", ach_errstr());
        return;
    }
    if (!settle(s))
        return;
    wake(s, event, time);
    look_at_channels(s, time);
}
