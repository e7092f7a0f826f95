/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world.h - what is simulated: mechanisms, and the devices on them
 *
 * The world does things by itself at certain times: a sensor samples, a sample that
 * was held back comes out. Between those it stands still, and its mechanisms are
 * moved only as far as somebody looks at them or drives them: each is always
 * integrated on its own grid and at its own commands and samples, so that it
 * does not matter what else is simulated beside it.
 *
 * Who may call what at the same time
 *     One thread creates, runs and destroys it. Drivers are set up and shut down by
 *     threads of theirs, and other drivers may give commands: the world's lock is around
 *     all that. Who runs the world lets them finish first, with ach_robot_settle.
 */
#ifndef ACHI_SIM_WORLD_H
#define ACHI_SIM_WORLD_H

#include <ach/robot.h>
#include <stdint.h>

struct achi_world;

/* From the sections "physics" of a config file, which must last. The seed is for all noise. */
ach_status_t achi_world_create(ach_config_t *config, uint64_t seed, struct achi_world **world);
void achi_world_destroy(struct achi_world *w); /* after its robot */

/* Make the drivers of simulated devices known. They find the world by themselves. */
ach_status_t achi_world_add_drivers(struct achi_world *w, ach_robot_t *robot);

/* What time it is, in nanoseconds since the beginning. */
int64_t achi_world_now(const struct achi_world *w);

/* When the world does something by itself; INT64_MAX: never. */
int64_t achi_world_next(struct achi_world *w);

/*
 * It is that time now, not before now and not after next: do what is due. Not ACH_OK: an
 * engine has failed, now or in a command before; the simulation ends, with ach_errstr.
 */
ach_status_t achi_world_run(struct achi_world *w, int64_t time);

/* For the devices: all that follows is for who has locked the world, or creates a device. */
struct achi_agenda;
struct achi_mechanism;

/* The same thread may lock it several times. */
void achi_world_lock(struct achi_world *w);
void achi_world_unlock(struct achi_world *w);

/* The world whose config file has this section; NULL: none. */
struct achi_world *achi_world_of(const ach_section_t *section);

/* What the world does; its items are the caller's. */
struct achi_agenda *achi_world_agenda(struct achi_world *w);

uint64_t achi_world_seed(const struct achi_world *w);

/* Each time another number, from 0: for the agenda. */
unsigned achi_world_rank(struct achi_world *w);

/* By its place in the config file, from 0, and by its name; NULL: there is none. */
struct achi_mechanism *achi_world_mechanism(const struct achi_world *w, size_t i);
struct achi_mechanism *achi_world_find(const struct achi_world *w, const char *name);

/* Move a mechanism to now, for who looks at it or drives it. */
ach_status_t achi_world_reach(struct achi_world *w, struct achi_mechanism *m);

#endif
