/* SPDX-License-Identifier: BSD-3-Clause */
/* replayed.h - what a log says, got from the devices that replay it */
#ifndef REPLAYED_H
#define REPLAYED_H

#include <ach/proxies.h>

struct position {
    double time;
    ach_pose2d_t pose;
};

struct replayed {
    ach_map_info_t info;
    int8_t *cells; /* info.width * info.height, from the lowest row; above 0: wall */
    struct position *path;
    size_t count;
    uint64_t lost;         /* positions that did not come */
    ach_laser_data_t scan; /* the last one */
    double *ranges;
    double scan_time;
    ach_pose2d_t laser; /* on the robot */
};

/* Fill in @r from the server at @where, as "127.0.0.1:6665". Ends the program if that fails. */
void replayed_get(struct replayed *r, const char *where);
void replayed_finish(struct replayed *r);

/* Where the robot was at a time. */
ach_pose2d_t replayed_pose(const struct replayed *r, double time);

#endif
