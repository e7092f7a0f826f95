/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.h - the vfh driver's state, and its parts */
#ifndef ACHI_VFH_DRIVER_H
#define ACHI_VFH_DRIVER_H

#include <ach.h>
#include <ach/driver.h>
#include <ach/interfaces.h>

#include "../common/asked.h"
#include "vfh.h"

enum achi_vfh_mode { ACHI_VFH_IDLE, ACHI_VFH_VEL, ACHI_VFH_GOAL, ACHI_VFH_ALIGN };

struct achi_vfh {
    ach_driver_t *driver;
    ach_address_t out;      /* what we provide */
    ach_address_t position; /* what we require */
    ach_address_t scanner;
    bool ranger; /* the scanner is one, not a laser */

    struct achi_vfh_options options;
    double radius_option;   /* m; 0: ask the robot */
    double data_timeout;    /* s */
    double command_timeout; /* s */

    struct achi_vfh_grid grid;
    struct achi_vfh_histogram histogram;
    struct achi_vfh_state state;
    ach_pose2d_t mount; /* of the scanner on the robot */
    double ranger_min, ranger_each, ranger_max;
    double position_at, scan_at; /* when data came last */
    bool stale;                  /* and the robot was stopped for it */

    enum achi_vfh_mode mode;
    ach_pose2d_t goal;
    double goal_speed;
    double vel_speed, vel_turn, vel_at;
    double previous; /* direction that was taken last */
    double command_speed, command_at;
    double escape_until;
    struct achi_asked asked;
};

/* Options of the config file. */
ach_status_t achi_vfh_read_options(struct achi_vfh *v, ach_section_t *o);

/* Data of what we require. */
ach_status_t achi_vfh_learn_geometry(struct achi_vfh *v);
ach_status_t achi_vfh_position_data(struct achi_vfh *v, const ach_message_t *m);
ach_status_t achi_vfh_scan_data(struct achi_vfh *v, const ach_message_t *m);

/* Decide what to do, and tell the robot. */
void achi_vfh_steer(struct achi_vfh *v);
void achi_vfh_stop(struct achi_vfh *v);

#endif
