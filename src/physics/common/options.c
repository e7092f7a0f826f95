/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <math.h>
#include <stdio.h>

double phys_option_above(ach_section_t *s, const char *name, double fallback)
{
    double v = ach_section_double(s, name, fallback);

    if (!(v > 0))
        ach_section_refuse(s, name, 0, "a number above 0");
    return v;
}

double phys_option_from_zero(ach_section_t *s, const char *name, double fallback)
{
    double v = ach_section_double(s, name, fallback);

    if (!(v >= 0))
        ach_section_refuse(s, name, 0, "a number not below 0");
    return v;
}

int phys_option_count(ach_section_t *s, const char *name, int fallback, int least, int most)
{
    int v = ach_section_int(s, name, fallback);
    char expected[64];

    if (v < least || v > most) {
        snprintf(expected, sizeof(expected), "a number from %d to %d", least, most);
        ach_section_refuse(s, name, 0, expected);
    }
    return v;
}

void phys_pendulum_read(struct phys_pendulum_options *p, ach_section_t *s, double strength)
{
    p->mass = phys_option_above(s, "mass", 1);
    p->length = ach_section_length(s, "length", 1);
    if (!(p->length > 0))
        ach_section_refuse(s, "length", 0, "a length above 0");
    p->radius = ach_section_length(s, "radius", 0.05);
    if (!(p->radius >= 0.001 && p->radius <= 1000))
        ach_section_refuse(s, "radius", 0, "a length from 1 mm to 1 km");
    p->damping = phys_option_from_zero(s, "damping", 0);
    p->gravity = ach_section_double(s, "gravity", 9.81);
    p->strength = phys_option_from_zero(s, "strength", strength);
    p->angle = ach_section_angle(s, "angle", 0);
    p->velocity = ach_section_angle(s, "velocity", 0);
}

void phys_cartpole_read(struct phys_cartpole_options *c, ach_section_t *s)
{
    phys_pendulum_read(&c->pole, s, 0);
    c->mass = phys_option_above(s, "cart_mass", 1);
    c->damping = phys_option_from_zero(s, "cart_damping", 0);
    c->strength = phys_option_from_zero(s, "cart_strength", INFINITY);
    c->track = ach_section_length(s, "track", INFINITY);
    if (!(c->track > 0))
        ach_section_refuse(s, "track", 0, "a length above 0");
    c->position = ach_section_length(s, "cart_position", 0);
    if (!(fabs(c->position) <= c->track))
        ach_section_refuse(s, "cart_position", 0, "a position on the track");
    c->velocity = ach_section_length(s, "cart_velocity", 0);
}

double phys_pendulum_inertia(const struct phys_pendulum_options *p)
{
    return p->mass * (p->length * p->length + 0.4 * p->radius * p->radius);
}
