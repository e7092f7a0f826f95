/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.h - the drivers of simulated devices; ach-sim-devices(7) describes them */
#ifndef SIMD_SIM_DEVICES_H
#define SIMD_SIM_DEVICES_H

#include <ach/driver.h>
#include <ach/robot.h>

/* Register all of them with the robot. They find the world by their config section. */
ach_status_t simd_sim_add_drivers(ach_robot_t *robot);

extern const ach_driver_class_t simd_sim_joints;
extern const ach_driver_class_t simd_sim_base;
extern const ach_driver_class_t simd_sim_pose;
extern const ach_driver_class_t simd_sim_imu;
extern const ach_driver_class_t simd_sim_ranger;
extern const ach_driver_class_t simd_sim_world;

#endif
