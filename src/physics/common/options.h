/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - options of the pendulum and the cartpole, shared by all engines that model them */
#ifndef PHYS_OPTIONS_H
#define PHYS_OPTIONS_H

#include <ach/config.h>

/*
 * A ball at the end of a massless rod that hangs from a hinge at the origin. The angle is 0 when
 * the rod hangs down; a growing angle moves the ball towards x.
 */
struct phys_pendulum_options {
    double mass, length, radius, damping, gravity;
    double strength;        /* largest effort of the hinge's motor; 0: no motor */
    double angle, velocity; /* at the beginning */
};

/* A pendulum whose hinge is on a cart that slides along x. */
struct phys_cartpole_options {
    struct phys_pendulum_options pole;
    double mass, damping, strength; /* of the cart */
    double track;                   /* the cart moves from -track to track; may be infinite */
    double position, velocity;      /* of the cart, at the beginning */
};

/* A value out of range is reported with ach_section_refuse; the section then has failed. */
double phys_option_above(ach_section_t *s, const char *name, double fallback);
double phys_option_from_zero(ach_section_t *s, const char *name, double fallback);
int phys_option_count(ach_section_t *s, const char *name, int fallback, int least, int most);

void phys_pendulum_read(struct phys_pendulum_options *p, ach_section_t *s, double strength);
void phys_cartpole_read(struct phys_cartpole_options *c, ach_section_t *s);

/* Moment of inertia of the ball about the hinge. */
double phys_pendulum_inertia(const struct phys_pendulum_options *p);

#endif
