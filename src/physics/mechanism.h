/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mechanism.h - a mechanism of a world, whatever engine moves it
 *
 * It is configured by a section "physics" of a config file. ach-physics(7) describes the engines
 * and their options.
 *
 * A mechanism advances along its own time grid: the multiples of its step since 0. It stops
 * between two grid points only if phys_mechanism_advance asks for that time; the next step then
 * ends at the next grid point. So its state depends only on the times at which it is advanced and
 * driven: two runs with the same calls are the same, bit for bit.
 *
 * Only one thread at a time may use a mechanism; different mechanisms are independent.
 */
#ifndef PHYS_MECHANISM_H
#define PHYS_MECHANISM_H

#include <ach/physics.h>
#include <stdint.h>

struct phys_mechanism;

/* Returned by the find functions if there is no joint or body of that name. */
#define PHYS_MECHANISM_NONE SIZE_MAX

/*
 * Create a mechanism from its section, which must outlive it. ACH_EINVAL: the section is wrong,
 * and the errors of the config file say where; otherwise ach_errstr gives the reason.
 */
ach_status_t phys_mechanism_open(ach_section_t *section, struct phys_mechanism **mechanism);
void phys_mechanism_close(struct phys_mechanism *m); /* NULL is fine */

const char *phys_mechanism_name(const struct phys_mechanism *m);
int64_t phys_mechanism_now(const struct phys_mechanism *m);  /* ns since the start */
int64_t phys_mechanism_step(const struct phys_mechanism *m); /* of the grid, ns */

/*
 * Advance to the given time. ACH_EINVAL: the time is in the past. After any other error, which
 * ach_errstr describes, the mechanism can only be closed.
 */
ach_status_t phys_mechanism_advance(struct phys_mechanism *m, int64_t time);

/* As the functions of the same name in physics.h, at the current time of the mechanism. */
size_t phys_mechanism_joints(const struct phys_mechanism *m);
size_t phys_mechanism_joint_find(const struct phys_mechanism *m, const char *name);
void phys_mechanism_joint_info(const struct phys_mechanism *m, size_t joint, ach_joint_info_t *i);
void phys_mechanism_joint_get(const struct phys_mechanism *m, size_t joint, ach_joint_state_t *s);

/* ACH_EINVAL: the value is not finite. ACH_ENOTSUP: the joint does not support this drive. */
ach_status_t phys_mechanism_joint_drive(struct phys_mechanism *m, size_t joint, enum ach_drive how,
                                        double value);

size_t phys_mechanism_bodies(const struct phys_mechanism *m);
size_t phys_mechanism_body_find(const struct phys_mechanism *m, const char *name);
void phys_mechanism_body_get(const struct phys_mechanism *m, size_t body, ach_body_state_t *s);

/* ACH_ENOTSUP: the engine cannot place bodies. */
ach_status_t phys_mechanism_body_put(struct phys_mechanism *m, size_t body,
                                     const double position[3], const double orientation[4]);

/* Returns the limit if the engine does not support rays. */
double phys_mechanism_ray(const struct phys_mechanism *m, size_t body, const double from[3],
                          const double direction[3], double limit);

/* Returns NAN if the engine does not compute energies. */
double phys_mechanism_energy(const struct phys_mechanism *m);

#endif
