/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.c - ticks that follow the robot's clock, or drive it
 *
 * Without drive_clock the simulation follows the robot's clock and catches up with missed ticks,
 * unless it is late by more than LAG_MAX. With drive_clock each tick advances the clock, as fast as
 * other drivers can follow, or at a multiple of real time.
 */
#include "clock.h"
#include "../../util/monotonic.h"

#include <math.h>
#include <poll.h>
#include <time.h>

#define LAG_MAX 2.0 /* s; a larger delay is skipped instead of caught up */

ach_status_t drv_sim_clock_options(struct drv_sim *s, ach_section_t *o)
{
    ach_status_t status = ach_driver_property_double(s->driver, "speed", 0);

    s->step = ach_section_double(o, "step", 0.01);
    s->drive_clock = ach_section_bool(o, "drive_clock", false);
    if (!(s->step >= 0.0001 && s->step <= 1))
        ach_section_refuse(o, "step", 0, "0.0001 to 1 s");
    return status;
}

double drv_sim_now(const struct drv_sim *s)
{
    return s->began + (double)s->ticks * s->step;
}

bool drv_sim_due(const struct drv_sim *s, double rate)
{
    double each = s->step * rate, n = (double)s->ticks;

    return floor(n * each + 1e-9) > floor((n - 1) * each + 1e-9);
}

void drv_sim_clock_rebase(struct drv_sim *s)
{
    s->began = ach_driver_time(s->driver) - (double)s->ticks * s->step;
}

/* Sleep in real time, which passes also while the robot's clock stands still. */
static bool clock_sleep_for(struct drv_sim *s, double seconds)
{
    struct pollfd p = {.fd = ach_driver_fd(s->driver), .events = POLLIN};
    struct timespec t = {.tv_sec = (time_t)seconds};

    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    ppoll(&p, 1, &t, NULL);
    return ach_driver_wait(s->driver, 0);
}

/* Real time of the next tick. A change of the speed takes effect from now. */
static double wall_of_next(struct drv_sim_clock *c, const struct drv_sim *s)
{
    double speed = ach_driver_get_double(s->driver, "speed");

    if (speed != c->speed) {
        c->speed = speed;
        c->wall = monotonic_seconds();
        c->from = (double)s->ticks;
    }
    return speed > 0 ? c->wall + ((double)s->ticks + 1 - c->from) * s->step / speed : 0;
}

static bool make_time(struct drv_sim_clock *c, struct drv_sim *s)
{
    double left;

    while ((left = wall_of_next(c, s) - monotonic_seconds()) > 0)
        if (!clock_sleep_for(s, left < 0.5 ? left : 0.5))
            return false;
    return ach_driver_advance(s->driver, drv_sim_now(s) + s->step) == ACH_OK;
}

void drv_sim_clock_settle(struct drv_sim *s)
{
    if (s->drive_clock)
        ach_driver_advance(s->driver, drv_sim_now(s));
}

static bool await_time(struct drv_sim *s)
{
    double next = drv_sim_now(s) + s->step, late;

    if (!ach_driver_wait_until(s->driver, next))
        return false;
    late = ach_driver_time(s->driver) - next;
    if (late > LAG_MAX)
        s->began += late;
    return true;
}

static bool sit_out(struct drv_sim_clock *c, struct drv_sim *s)
{
    while (s->paused)
        if (!clock_sleep_for(s, 3600))
            return false;
    drv_sim_clock_rebase(s);
    c->speed = -1;
    return true;
}

bool drv_sim_clock_next(struct drv_sim_clock *c, struct drv_sim *s)
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
