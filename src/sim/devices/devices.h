/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.h - the drivers of simulated devices; ach-sim-devices(7) describes them */
#ifndef ACHI_SIM_DEVICES_H
#define ACHI_SIM_DEVICES_H

#include <ach/driver.h>

extern const ach_driver_class_t achi_sim_joints;
extern const ach_driver_class_t achi_sim_base;
extern const ach_driver_class_t achi_sim_pose;
extern const ach_driver_class_t achi_sim_imu;
extern const ach_driver_class_t achi_sim_ranger;
extern const ach_driver_class_t achi_sim_world;

#endif
