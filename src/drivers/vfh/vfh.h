/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vfh.h - obstacle avoidance with a vector field histogram (VFH+)
 *
 * After I. Ulrich and J. Borenstein, "VFH+: Reliable Obstacle Avoidance for Fast
 * Mobile Robots" (1998). Scans fill a grid around the robot; the grid becomes a
 * histogram over all directions, larger where obstacles are near; sectors below a
 * threshold are free; of the free directions the one with the least cost is taken.
 *
 * All poses and directions are in the frame of the odometry.
 */
#ifndef ACHI_VFH_H
#define ACHI_VFH_H

#include <ach/interface/common.h>
#include <stdbool.h>
#include <stdint.h>

#define ACHI_VFH_SECTORS_MAX 360
#define ACHI_VFH_CELLS_MAX 501 /* of a side of the grid */

/* A value for a robot that stands, and one for 1 m/s; between them and beyond on a line. */
struct achi_vfh_by_speed {
    double standing, at_1ms;
};

struct achi_vfh_options {
    double cell_size;                      /* m */
    int window_diameter;                   /* cells */
    double sector_angle;                   /* rad */
    double robot_radius;                   /* m */
    double max_speed;                      /* m/s */
    double acceleration;                   /* m/s^2 */
    double min_turnrate;                   /* rad/s */
    struct achi_vfh_by_speed safety_dist;  /* m */
    struct achi_vfh_by_speed max_turnrate; /* rad/s */
    struct achi_vfh_by_speed free_cutoff;  /* a sector below becomes free */
    struct achi_vfh_by_speed obs_cutoff;   /* a sector above becomes blocked */
    double turn_radius_factor;
    double weight_desired, weight_current, weight_previous;
    double distance_epsilon; /* m */
    double angle_epsilon;    /* rad */
    double escape_speed;     /* m/s */
    double escape_time;      /* s */
};

double achi_vfh_at(struct achi_vfh_by_speed value, double speed);

/* Into -pi ... pi. */
double achi_vfh_turn(double angle);

/* How sure a cell is occupied, and which cell it is: the grid wraps around. */
struct achi_vfh_cell {
    int32_t col, row;
    uint8_t certainty;
};

#define ACHI_VFH_CERTAIN 15

struct achi_vfh_grid {
    double size; /* m of a cell */
    int side;    /* cells */
    struct achi_vfh_cell *cells;
};

bool achi_vfh_grid_init(struct achi_vfh_grid *g, double size, int side);
void achi_vfh_grid_finish(struct achi_vfh_grid *g);
void achi_vfh_grid_clear(struct achi_vfh_grid *g);

/* What a ray saw: free cells on its way, and an obstacle at its end if it hit one. */
void achi_vfh_grid_ray(struct achi_vfh_grid *g, double x, double y, double angle, double range,
                       bool hit);

/* The certainty at a cell; 0 if nothing is known. */
int achi_vfh_grid_get(const struct achi_vfh_grid *g, int32_t col, int32_t row);

struct achi_vfh_histogram {
    int sectors;
    double each; /* rad of a sector */
    double density[ACHI_VFH_SECTORS_MAX];
    bool blocked[ACHI_VFH_SECTORS_MAX]; /* with hysteresis */
    bool masked[ACHI_VFH_SECTORS_MAX];  /* also what the robot cannot turn to */
};

/* What the robot does now. */
struct achi_vfh_state {
    ach_pose2d_t pose;
    double speed, turnrate;
};

/* Build it: obstacles up to reach m, for a robot that keeps so much distance. */
void achi_vfh_histogram_build(struct achi_vfh_histogram *h, const struct achi_vfh_grid *g,
                              const struct achi_vfh_options *o, const struct achi_vfh_state *s,
                              double reach, double distance);

/* The direction to take. False: none is free. */
bool achi_vfh_choose(const struct achi_vfh_histogram *h, const struct achi_vfh_options *o,
                     double target, double heading, double previous, double *direction);

/* How far a robot of this radius can go ahead, or backwards, in m; no farther than reach. */
double achi_vfh_clearance(const struct achi_vfh_grid *g, const ach_pose2d_t *pose, double radius,
                          double reach, bool back);

/* How fast it may go with so much room. */
double achi_vfh_safe_speed(const struct achi_vfh_options *o, double clearance);

#endif
