/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * square.c - drives a robot on wheels along a square
 *
 * usage: square [ADDRESS [SIDE]]
 *
 * Uses nothing but a position2d, position2d:0 by default, and the robot's own time. Ends
 * with 0 if it came back to where it began.
 */
#include <ach.h>
#include <ach/proxies.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PATIENCE 5.0 /* s without data */
#define LIMIT 60.0   /* s of the robot's time */
#define SPEED 0.5    /* m/s */
#define TURN 1.5     /* rad/s */
#define NEAR 0.05    /* m */
#define AHEAD 0.2    /* rad: it looks where it goes */

static void must(ach_status_t status, const char *what)
{
    if (status == ACH_OK || status == ACH_MISSED_FRAME)
        return;
    fprintf(stderr, "square: %s: %s: %s\n", what, ach_result_to_string(status), ach_errstr());
    exit(1);
}

static ach_position2d_data_t look(ach_device_t *robot, double *time)
{
    const ach_position2d_data_t *data;
    ach_position2d_data_t at;
    ach_message_t *m;

    must(ach_position2d_get_state(robot, PATIENCE, ACH_O_LAST | ACH_O_WAIT, &m, &data), "position");
    at = *data;
    *time = ach_message_header(m)->timestamp;
    ach_message_unref(m);
    return at;
}

static double limit(double value, double most)
{
    return value > most ? most : value < -most ? -most : value;
}

/* Turn towards the place; go when it is ahead. True: there. */
static bool approach(ach_device_t *robot, const ach_pose2d_t *at, double x, double y)
{
    double far = hypot(x - at->px, y - at->py);
    double aside = remainder(atan2(y - at->py, x - at->px) - at->pa, 2 * M_PI);
    ach_position2d_cmd_vel_t command = {.state = 1};

    if (far >= NEAR) {
        command.vel.pa = limit(4 * aside, TURN);
        if (fabs(aside) < AHEAD)
            command.vel.px = limit(2 * far + 0.05, SPEED);
    }
    must(ach_position2d_tell_vel(robot, &command), "a speed");
    return far < NEAR;
}

int main(int argc, char **argv)
{
    const double side = argc > 2 ? atof(argv[2]) : 1;
    const double corners[][2] = {{side, 0}, {side, side}, {0, side}, {0, 0}};
    ach_position2d_data_t at;
    double begin, time, way = 0;
    ach_device_t *robot;
    unsigned corner = 0;

    must(ach_device_open(argc > 1 ? argv[1] : "position2d:0", NULL, &robot), "the robot");
    must(ach_position2d_ask_reset_odom(robot, PATIENCE, NULL), "its odometry");
    at = look(robot, &begin);
    time = begin;
    while (corner < 4 && time - begin < LIMIT) {
        double before = time;

        at = look(robot, &time);
        way += hypot(at.vel.px, at.vel.py) * (time - before);
        corner += approach(robot, &at.pos, corners[corner][0], corners[corner][1]);
    }
    printf("square: %u corners and %.2f m in %.2f s; back at %.3f %.3f\n", corner, way,
           time - begin, at.pos.px, at.pos.py);
    ach_device_close(robot);
    return corner < 4;
}
