/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.c - ticks on the robot's clock, or ticks that make it
 *
 * On a clock of others the simulation catches up with ticks that it has missed,
 * unless they are too many. With drive_clock each tick moves the clock, as fast as
 * other drivers can follow, or at a multiple of the speed of real time.
 */
#include "clock.h"

#include <math.h>
#include <poll.h>
#include <time.h>

#define LAG_MAX 2.0 /* s; what is later than that is not made up for */

static double monotonic(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

ach_status_t achi_sim_clock_options(struct achi_sim *s, ach_section_t *o)
{
    ach_status_t status = ach_driver_property_double(s->driver, "speed", 0);

    s->step = ach_section_double(o, "step", 0.01);
    s->drive_clock = ach_section_bool(o, "drive_clock", false);
    if (!(s->step >= 0.0001 && s->step <= 1))
        ach_section_refuse(o, "step", 0, "0.0001 to 1 s");
    return status;
}

double achi_sim_now(const struct achi_sim *s)
{
    return s->began + (double)s->ticks * s->step;
}

bool achi_sim_due(const struct achi_sim *s, double rate)
{
    double each = s->step * rate, n = (double)s->ticks;

    return floor(n * each + 1e-9) > floor((n - 1) * each + 1e-9);
}

void achi_sim_clock_rebase(struct achi_sim *s)
{
    s->began = ach_driver_time(s->driver) - (double)s->ticks * s->step;
}

/* Real time, which passes also while the robot's clock stands. */
static bool sleep_for(struct achi_sim *s, double seconds)
{
    struct pollfd p = {.fd = ach_driver_fd(s->driver), .events = POLLIN};
    struct timespec t = {.tv_sec = (time_t)seconds};

    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    ppoll(&p, 1, &t, NULL);
    return ach_driver_wait(s->driver, 0);
}

/* A change of the speed counts from now. */
static double wall_of_next(struct achi_sim_clock *c, const struct achi_sim *s)
{
    double speed = ach_driver_get_double(s->driver, "speed");

    if (speed != c->speed) {
        c->speed = speed;
        c->wall = monotonic();
        c->from = (double)s->ticks;
    }
    return speed > 0 ? c->wall + ((double)s->ticks + 1 - c->from) * s->step / speed : 0;
}

static bool make_time(struct achi_sim_clock *c, struct achi_sim *s)
{
    double left;

    while ((left = wall_of_next(c, s) - monotonic()) > 0)
        if (!sleep_for(s, left < 0.5 ? left : 0.5))
            return false;
    return ach_driver_advance(s->driver, achi_sim_now(s) + s->step) == ACH_OK;
}

void achi_sim_clock_settle(struct achi_sim *s)
{
    if (s->drive_clock)
        ach_driver_advance(s->driver, achi_sim_now(s));
}

static bool await_time(struct achi_sim *s)
{
    double next = achi_sim_now(s) + s->step, late;

    if (!ach_driver_wait_until(s->driver, next))
        return false;
    late = ach_driver_time(s->driver) - next;
    if (late > LAG_MAX)
        s->began += late;
    return true;
}

static bool sit_out(struct achi_sim_clock *c, struct achi_sim *s)
{
    while (s->paused)
        if (!sleep_for(s, 3600))
            return false;
    achi_sim_clock_rebase(s);
    c->speed = -1;
    return true;
}

bool achi_sim_clock_next(struct achi_sim_clock *c, struct achi_sim *s)
{
    do {
        if (s->paused && !sit_out(c, s))
            return false;
        if (!(s->drive_clock ? make_time(c, s) : await_time(s)))
            return false;
    } while (s->paused);
    s->ticks++;
    return true;
}
