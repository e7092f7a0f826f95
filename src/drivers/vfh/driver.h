/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.h - the vfh driver's state, and its parts */
#ifndef DRV_VFH_DRIVER_H
#define DRV_VFH_DRIVER_H

#include <ach.h>
#include <ach/driver.h>
#include <ach/interfaces.h>

#include "../common/pending.h"
#include "vfh.h"

enum drv_vfh_mode { DRV_VFH_IDLE, DRV_VFH_VEL, DRV_VFH_GOAL, DRV_VFH_ALIGN };

struct drv_vfh {
    ach_driver_t *driver;
    ach_address_t out;      /* the provided device */
    ach_address_t position; /* required devices: position and scanner */
    ach_address_t scanner;
    bool ranger; /* the scanner is a ranger, not a laser */

    struct drv_vfh_options options;
    double radius_option;   /* m; 0: ask the robot */
    double data_timeout;    /* s */
    double command_timeout; /* s */

    struct drv_vfh_grid grid;
    struct drv_vfh_histogram histogram;
    struct drv_vfh_state state;
    ach_pose2d_t mount; /* of the scanner on the robot */
    double ranger_min, ranger_each, ranger_max;
    double position_at, scan_at; /* times of the last data */
    bool stale;                  /* the data is too old, and the robot was stopped */

    enum drv_vfh_mode mode;
    ach_pose2d_t goal;
    double goal_speed;
    double vel_speed, vel_turn, vel_at;
    double previous; /* last chosen direction */
    double command_speed, command_at;
    double escape_until;
    double escape_turn; /* rad/s; to the other side each time */
    struct pending_table asked;
};

/* Read the options of the config file. */
ach_status_t drv_vfh_read_options(struct drv_vfh *v, ach_section_t *o);

/* Geometry and data of the required devices. */
ach_status_t drv_vfh_learn_geometry(struct drv_vfh *v);
ach_status_t drv_vfh_position_data(struct drv_vfh *v, const ach_message_t *m);
ach_status_t drv_vfh_scan_data(struct drv_vfh *v, const ach_message_t *m);

/* Choose a velocity and command the robot. */
void drv_vfh_steer(struct drv_vfh *v);
void drv_vfh_stop(struct drv_vfh *v);

#endif
