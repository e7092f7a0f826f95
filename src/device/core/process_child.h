/* SPDX-License-Identifier: BSD-3-Clause */
/* process_child.h - what the program of a driver's process does */
#ifndef ACHI_PROCESS_CHILD_H
#define ACHI_PROCESS_CHILD_H

#include <ach/robot.h>

/* Be the process at the other end of these pipes, until they are closed. Then destroy the robot. */
__attribute__((visibility("default"))) ach_status_t achi_process_child(ach_robot_t *robot, int in,
                                                                       int out);

#endif
