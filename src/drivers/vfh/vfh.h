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
#ifndef DRV_VFH_H
#define DRV_VFH_H

#include <ach/interface/common.h>
#include <stdbool.h>
#include <stdint.h>

#define DRV_VFH_SECTORS_MAX 360
#define DRV_VFH_CELLS_MAX 501 /* along a side of the grid */

/* A value at standstill and one at 1 m/s; linear between them and beyond. */
struct drv_vfh_by_speed {
    double standing, at_1ms;
};

struct drv_vfh_options {
    double cell_size;                     /* m */
    int window_diameter;                  /* cells */
    double sector_angle;                  /* rad */
    double robot_radius;                  /* m */
    double max_speed;                     /* m/s */
    double acceleration;                  /* m/s^2 */
    double min_turnrate;                  /* rad/s */
    struct drv_vfh_by_speed safety_dist;  /* m */
    struct drv_vfh_by_speed max_turnrate; /* rad/s */
    struct drv_vfh_by_speed free_cutoff;  /* a sector with a lower density becomes free */
    struct drv_vfh_by_speed obs_cutoff;   /* a sector with a higher density becomes blocked */
    double turn_radius_factor;
    double weight_desired, weight_current, weight_previous;
    double distance_epsilon; /* m */
    double angle_epsilon;    /* rad */
    double escape_speed;     /* m/s */
    double escape_time;      /* s */
    double escape_turnrate;  /* rad/s */
};

double drv_vfh_at(struct drv_vfh_by_speed value, double speed);

/* Normalise an angle to -pi ... pi. */
double drv_vfh_turn(double angle);

/* Certainty that a cell is occupied, and its coordinates, since the grid wraps around. */
struct drv_vfh_cell {
    int32_t col, row;
    uint8_t certainty;
};

#define DRV_VFH_CERTAIN 15

struct drv_vfh_grid {
    double size; /* of a cell, m */
    int side;    /* number of cells along a side */
    struct drv_vfh_cell *cells;
};

bool drv_vfh_grid_init(struct drv_vfh_grid *g, double size, int side);
void drv_vfh_grid_finish(struct drv_vfh_grid *g);
void drv_vfh_grid_clear(struct drv_vfh_grid *g);

/* Enter a ray: cells along it are free, and the cell at its end is occupied if hit is true. */
void drv_vfh_grid_ray(struct drv_vfh_grid *g, double x, double y, double angle, double range,
                      bool hit);

/* The certainty at a cell; 0 if nothing is known. */
int drv_vfh_grid_get(const struct drv_vfh_grid *g, int32_t col, int32_t row);

struct drv_vfh_histogram {
    int sectors;
    double each; /* angle of a sector, rad */
    double density[DRV_VFH_SECTORS_MAX];
    bool blocked[DRV_VFH_SECTORS_MAX]; /* with hysteresis */
    bool masked[DRV_VFH_SECTORS_MAX];  /* blocked, or not reachable by turning */
};

/* Pose and velocity of the robot. */
struct drv_vfh_state {
    ach_pose2d_t pose;
    double speed, turnrate;
};

/* Build the histogram from obstacles up to reach, for a robot that keeps distance, both in m. */
void drv_vfh_histogram_build(struct drv_vfh_histogram *h, const struct drv_vfh_grid *g,
                             const struct drv_vfh_options *o, const struct drv_vfh_state *s,
                             double reach, double distance);

/* The direction to take. False: none is free. */
bool drv_vfh_choose(const struct drv_vfh_histogram *h, const struct drv_vfh_options *o,
                    double target, double heading, double previous, double *direction);

/* How far a robot of this radius can drive ahead or backwards, in m; at most reach. */
double drv_vfh_clearance(const struct drv_vfh_grid *g, const ach_pose2d_t *pose, double radius,
                         double reach, bool back);

/* The speed from which the robot can stop within the clearance. */
double drv_vfh_safe_speed(const struct drv_vfh_options *o, double clearance);

#endif
