/* SPDX-License-Identifier: BSD-3-Clause */
/* child.h - the main loop of a driver's process */
#ifndef DEV_PROCESS_CHILD_H
#define DEV_PROCESS_CHILD_H

#include <ach/robot.h>

/*
 * Run the driver until these pipes are closed. @memory: of dev_passed_create. The caller destroys
 * the robot afterwards.
 */
__attribute__((visibility("default"))) ach_status_t achi_process_child(ach_robot_t *robot, int in,
                                                                       int out, int memory);

#endif
