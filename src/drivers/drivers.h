/* SPDX-License-Identifier: BSD-3-Clause */
/* drivers.h - each driver is a folder with one symbol */
#ifndef DRV_DRIVERS_H
#define DRV_DRIVERS_H

#include <ach/driver.h>

extern const ach_driver_class_t drv_driver_cameracompress;
extern const ach_driver_class_t drv_driver_cmdsplitter;
extern const ach_driver_class_t drv_driver_dummy;
extern const ach_driver_class_t drv_driver_fake;
extern const ach_driver_class_t drv_driver_fakelocalize;
extern const ach_driver_class_t drv_driver_laserbarcode;
extern const ach_driver_class_t drv_driver_lasertoranger;
extern const ach_driver_class_t drv_driver_localbb;
extern const ach_driver_class_t drv_driver_mapfile;
extern const ach_driver_class_t drv_driver_null;
extern const ach_driver_class_t drv_driver_passthrough;
extern const ach_driver_class_t drv_driver_rangertolaser;
extern const ach_driver_class_t drv_driver_readlog;
extern const ach_driver_class_t drv_driver_relay;
extern const ach_driver_class_t drv_driver_simrobot;
extern const ach_driver_class_t drv_driver_sonartoranger;
extern const ach_driver_class_t drv_driver_urg_laser;
extern const ach_driver_class_t drv_driver_vfh;
extern const ach_driver_class_t drv_driver_writelog;

#endif
