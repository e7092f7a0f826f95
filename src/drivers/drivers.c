/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers.h"

#include <ach/drivers.h>

static const ach_driver_class_t *const drivers[] = {
    &achi_driver_cmdsplitter,   &achi_driver_dummy,         &achi_driver_fake,
    &achi_driver_lasertoranger, &achi_driver_null,          &achi_driver_passthrough,
    &achi_driver_rangertolaser, &achi_driver_readlog,       &achi_driver_relay,
    &achi_driver_simrobot,      &achi_driver_sonartoranger, &achi_driver_urg_laser,
    &achi_driver_vfh,           &achi_driver_writelog,
};

ach_status_t ach_drivers_add(ach_robot_t *robot)
{
    ach_status_t status = ACH_OK;
    size_t i;

    for (i = 0; i < sizeof(drivers) / sizeof(drivers[0]) && status == ACH_OK; i++)
        status = ach_robot_add_class(robot, drivers[i]);
    return status;
}
