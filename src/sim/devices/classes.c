/* SPDX-License-Identifier: BSD-3-Clause */
#include "devices.h"

ach_status_t simd_sim_add_drivers(ach_robot_t *robot)
{
    const ach_driver_class_t *const classes[] = {&simd_sim_joints, &simd_sim_base,
                                                 &simd_sim_pose,   &simd_sim_imu,
                                                 &simd_sim_ranger, &simd_sim_world};
    ach_status_t status = ACH_OK;
    size_t i;

    for (i = 0; i < sizeof(classes) / sizeof(classes[0]) && status == ACH_OK; i++)
        status = ach_robot_add_class(robot, classes[i]);
    return status;
}
