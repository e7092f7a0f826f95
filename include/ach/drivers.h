/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * drivers.h - the drivers that come with Ach
 *
 * A program that embeds a robot calls ach_drivers_add before it loads a config file.
 */
#ifndef ACH_DRIVERS_H
#define ACH_DRIVERS_H

#include <ach/robot.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * ach_drivers_add - register all drivers that come with Ach
 * @robot: the robot, before ach_robot_load
 *
 * The manual ach-drivers(7) lists them.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EEXIST: another driver of the same name is registered;
 * ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.0
 */
ach_status_t ach_drivers_add(ach_robot_t *robot);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
