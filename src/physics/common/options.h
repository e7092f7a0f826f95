/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - what a pendulum or a cart with a pole is, the same for all engines that build them */
#ifndef ACHI_PHYSICS_OPTIONS_H
#define ACHI_PHYSICS_OPTIONS_H

#include <ach/config.h>

/*
 * A ball at the end of a rod without mass, which hangs from a hinge at the origin. The
 * angle is 0 when it hangs down; a growing angle moves it towards x.
 */
struct achi_pendulum_options {
    double mass, length, radius, damping, gravity;
    double strength;        /* of the hinge; 0: nothing drives it */
    double angle, velocity; /* at the beginning */
};

/* The same, where the hinge is on a cart that slides along x. */
struct achi_cartpole_options {
    struct achi_pendulum_options pole;
    double mass, damping, strength; /* of the cart */
    double track;                   /* the cart moves from -track to track; may be infinite */
    double position, velocity;      /* of the cart, at the beginning */
};

/* A value that is not good is refused; the section then has failed. */
double achi_option_above(ach_section_t *s, const char *name, double fallback);
double achi_option_from_zero(ach_section_t *s, const char *name, double fallback);
int achi_option_count(ach_section_t *s, const char *name, int fallback, int least, int most);

void achi_pendulum_read(struct achi_pendulum_options *p, ach_section_t *s, double strength);
void achi_cartpole_read(struct achi_cartpole_options *c, ach_section_t *s);

/* Of the ball about the hinge. */
double achi_pendulum_inertia(const struct achi_pendulum_options *p);

#endif
