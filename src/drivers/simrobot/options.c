/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - helpers for the devices' options */
#include <math.h>

#include "sim.h"

ach_status_t drv_sim_provide(struct drv_sim *s, uint16_t interf, const uint8_t (*messages)[2],
                             struct drv_sim_device *device)
{
    ach_status_t status = ach_driver_provide(s->driver, interf, NULL, &device->address);

    if (status == ACH_ENOENT)
        return ACH_OK;
    device->there = status == ACH_OK;
    for (; status == ACH_OK && (*messages)[0]; messages++)
        status = ach_driver_handles(s->driver, &device->address, (*messages)[0], (*messages)[1]);
    return status;
}

struct drv_sim_pair drv_sim_pair_option(ach_section_t *o, const char *name,
                                        struct drv_sim_pair fallback)
{
    return (struct drv_sim_pair){.ahead = ach_section_tuple_length(o, name, 0, fallback.ahead),
                                 .turn = ach_section_tuple_angle(o, name, 1, fallback.turn)};
}

ach_pose2d_t drv_sim_pose_option(ach_section_t *o, const char *name, ach_pose2d_t fallback)
{
    return (ach_pose2d_t){.px = ach_section_tuple_length(o, name, 0, fallback.px),
                          .py = ach_section_tuple_length(o, name, 1, fallback.py),
                          .pa = ach_section_tuple_angle(o, name, 2, fallback.pa)};
}

bool drv_sim_finite(const ach_pose2d_t *pose)
{
    return fabs(pose->px) < 1e6 && fabs(pose->py) < 1e6 && fabs(pose->pa) < 1e6;
}

ach_pose3d_t drv_sim_pose3d(const ach_pose2d_t *pose)
{
    return (ach_pose3d_t){.px = pose->px, .py = pose->py, .pyaw = pose->pa};
}
