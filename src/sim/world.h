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
 * One thread.
 */
#ifndef ACHI_SIM_WORLD_H
#define ACHI_SIM_WORLD_H

#include <ach/robot.h>
#include <stdint.h>

struct achi_world;

/* From the sections "physics" of a config file, which must last. The seed is for all noise. */
ach_status_t achi_world_create(ach_config_t *config, uint64_t seed, struct achi_world **world);
void achi_world_destroy(struct achi_world *w);

/* Make the drivers of simulated devices known. They find the world by themselves. */
ach_status_t achi_world_add_drivers(struct achi_world *w, ach_robot_t *robot);

/* What time it is, in nanoseconds since the beginning. */
int64_t achi_world_now(const struct achi_world *w);

/* When the world does something by itself; INT64_MAX: never. */
int64_t achi_world_next(const struct achi_world *w);

/* It is that time now, not before now and not after next: do what is due. */
ach_status_t achi_world_run(struct achi_world *w, int64_t time);

#endif
