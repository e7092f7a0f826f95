/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world.h - the simulated world: mechanisms, and the devices on them
 *
 * The world acts at scheduled times (agenda.h): a sensor samples, or a delayed sample is
 * published. In between nothing is computed. A mechanism is integrated only up to the time at
 * which it is sampled or driven: always on its own grid and at its own commands and samples, so
 * that its motion does not depend on other mechanisms.
 *
 * Thread safety
 *     One thread creates, runs and destroys it. Drivers are set up and shut down by
 *     threads of their own, and other drivers may send commands: all of that is under the
 *     world's lock. The running thread first waits for them, with ach_robot_settle.
 */
#ifndef SIMD_SIM_WORLD_H
#define SIMD_SIM_WORLD_H

#include <ach/robot.h>
#include <stdint.h>

struct simd_world;

/* From the sections "physics" of a config, which must outlive the world. seed: of all noise. */
ach_status_t simd_world_create(ach_config_t *config, uint64_t seed, struct simd_world **world);
void simd_world_destroy(struct simd_world *w); /* after its robot was destroyed */

/* The current time, in nanoseconds since the beginning. */
int64_t simd_world_now(const struct simd_world *w);

/* The time of the next scheduled action; INT64_MAX: none. */
int64_t simd_world_next(struct simd_world *w);

/*
 * Advance to time, from simd_world_now up to simd_world_next, and run the actions that are due.
 * Not ACH_OK: an engine has failed, now or in an earlier command; the simulation ends with
 * ach_errstr.
 */
ach_status_t simd_world_run(struct simd_world *w, int64_t time);

/* For devices: hold the world's lock for all that follows, except while creating a device. */
struct simd_agenda;
struct phys_mechanism;

/* Recursive. */
void simd_world_lock(struct simd_world *w);
void simd_world_unlock(struct simd_world *w);

/* The world whose config file has this section; NULL: none. */
struct simd_world *simd_world_of(const ach_section_t *section);

/* The world's agenda; callers own its items. */
struct simd_agenda *simd_world_agenda(struct simd_world *w);

uint64_t simd_world_seed(const struct simd_world *w);

/* Returns 0, 1, 2 and so on: the rank of a device in the agenda. */
unsigned simd_world_rank(struct simd_world *w);

/* A mechanism by its index in the config file, from 0, or by its name; NULL: there is none. */
struct phys_mechanism *simd_world_mechanism(const struct simd_world *w, size_t i);
struct phys_mechanism *simd_world_find(const struct simd_world *w, const char *name);

/* Advance a mechanism to now, before it is read or driven. */
ach_status_t simd_world_reach(struct simd_world *w, struct phys_mechanism *m);

#endif
