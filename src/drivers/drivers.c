/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers.h"

#include <ach/drivers.h>

static const ach_driver_class_t *const drivers[] = {
    &drv_driver_cameracompress, &drv_driver_cmdsplitter,  &drv_driver_dummy,
    &drv_driver_fake,           &drv_driver_fakelocalize, &drv_driver_laserbarcode,
    &drv_driver_lasertoranger,  &drv_driver_localbb,      &drv_driver_mapfile,
    &drv_driver_null,           &drv_driver_passthrough,  &drv_driver_rangertolaser,
    &drv_driver_readlog,        &drv_driver_relay,        &drv_driver_simrobot,
    &drv_driver_sonartoranger,  &drv_driver_urg_laser,    &drv_driver_vfh,
    &drv_driver_writelog,
};

ach_status_t ach_drivers_add(ach_robot_t *robot)
{
    ach_status_t status = ACH_OK;
    size_t i;

    for (i = 0; i < sizeof(drivers) / sizeof(drivers[0]) && status == ACH_OK; i++)
        status = ach_robot_add_class(robot, drivers[i]);
    return status;
}
