/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mechanism.h - a mechanism of a world, whatever engine moves it
 *
 * From a section "physics" of a config file. ach-physics(7) describes the engines and
 * their options.
 *
 * A mechanism moves along a grid of its own: the multiples of its step since
 * 0. It stops between two of them only when it is asked for that time, and then goes
 * on to the next one. So what it does depends on when it is asked and driven, and on
 * nothing else: two runs with the same questions are the same, bit for bit.
 *
 * One thread at a time for each mechanism; different ones are independent.
 */
#ifndef ACHI_MECHANISM_H
#define ACHI_MECHANISM_H

#include <ach/physics.h>
#include <stdint.h>

struct achi_mechanism;

/* What a find returns when there is no such thing. */
#define ACHI_MECHANISM_NONE SIZE_MAX

/*
 * From its section, which must last. ACH_EINVAL: the section is wrong, and the errors of
 * the config file say where; otherwise ach_errstr says why.
 */
ach_status_t achi_mechanism_open(ach_section_t *section, struct achi_mechanism **mechanism);
void achi_mechanism_close(struct achi_mechanism *m); /* NULL is fine */

const char *achi_mechanism_name(const struct achi_mechanism *m);
int64_t achi_mechanism_now(const struct achi_mechanism *m);  /* ns since the beginning */
int64_t achi_mechanism_step(const struct achi_mechanism *m); /* of the grid, ns */

/*
 * Go on to that time and stop there. ACH_EINVAL: the time is past. After another error,
 * with ach_errstr, the mechanism can only be closed.
 */
ach_status_t achi_mechanism_advance(struct achi_mechanism *m, int64_t time);

/* As of the functions of the same name in physics.h, at the time it is. */
size_t achi_mechanism_joints(const struct achi_mechanism *m);
size_t achi_mechanism_joint_find(const struct achi_mechanism *m, const char *name);
void achi_mechanism_joint_info(const struct achi_mechanism *m, size_t joint, ach_joint_info_t *i);
void achi_mechanism_joint_get(const struct achi_mechanism *m, size_t joint, ach_joint_state_t *s);

/* ACH_EINVAL: the value is not finite; ACH_ENOTSUP: this joint cannot be driven so. */
ach_status_t achi_mechanism_joint_drive(struct achi_mechanism *m, size_t joint, enum ach_drive how,
                                        double value);

size_t achi_mechanism_bodies(const struct achi_mechanism *m);
size_t achi_mechanism_body_find(const struct achi_mechanism *m, const char *name);
const char *achi_mechanism_body_name(const struct achi_mechanism *m, size_t body);
void achi_mechanism_body_get(const struct achi_mechanism *m, size_t body, ach_body_state_t *s);

/* ACH_ENOTSUP: the engine cannot do that. */
ach_status_t achi_mechanism_body_put(struct achi_mechanism *m, size_t body,
                                     const double position[3], const double orientation[4]);

/* The limit, where the engine has nothing that a ray could meet. */
double achi_mechanism_ray(const struct achi_mechanism *m, size_t body, const double from[3],
                          const double direction[3], double limit);

/* NAN, where the engine cannot say. */
double achi_mechanism_energy(const struct achi_mechanism *m);

#endif
