/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "driver.h"

#define DEGREES (M_PI / 180)

static void above_zero(ach_section_t *o, const char *name, double value)
{
    if (!(value > 0))
        ach_section_refuse(o, name, 0, "a number above 0");
}

static struct drv_vfh_by_speed length_by_speed(ach_section_t *o, const char *standing,
                                               const char *at_1ms, double fallback)
{
    double v = ach_section_length(o, standing, fallback);

    return (struct drv_vfh_by_speed){v, ach_section_length(o, at_1ms, v)};
}

static struct drv_vfh_by_speed number_by_speed(ach_section_t *o, const char *standing,
                                               const char *at_1ms, double fallback)
{
    double v = ach_section_double(o, standing, fallback);

    above_zero(o, standing, v);
    return (struct drv_vfh_by_speed){v, ach_section_double(o, at_1ms, v)};
}

static void turning(struct drv_vfh_options *p, ach_section_t *o)
{
    double v = ach_section_angle(o, "max_turnrate_0ms", 40 * DEGREES);

    p->max_turnrate = (struct drv_vfh_by_speed){v, ach_section_angle(o, "max_turnrate_1ms", v)};
    p->min_turnrate = ach_section_angle(o, "min_turnrate", 10 * DEGREES);
    p->turn_radius_factor = ach_section_double(o, "min_turn_radius_safety_factor", 1);
    above_zero(o, "max_turnrate_0ms", v);
    above_zero(o, "max_turnrate_1ms", p->max_turnrate.at_1ms);
}

static void histogram(struct drv_vfh_options *p, ach_section_t *o)
{
    p->cell_size = ach_section_length(o, "cell_size", 0.1);
    p->window_diameter = ach_section_int(o, "window_diameter", 61);
    p->sector_angle = ach_section_angle(o, "sector_angle", 5 * DEGREES);
    p->free_cutoff = number_by_speed(o, "free_space_cutoff_0ms", "free_space_cutoff_1ms", 4e5);
    p->obs_cutoff =
        number_by_speed(o, "obs_cutoff_0ms", "obs_cutoff_1ms", 1.5 * p->free_cutoff.standing);
    p->weight_desired = ach_section_double(o, "weight_desired_dir", 5);
    p->weight_current = ach_section_double(o, "weight_current_dir", 1);
    p->weight_previous = ach_section_double(o, "weight_previous_dir", 1);
    if (!(p->cell_size >= 0.01 && p->cell_size <= 10))
        ach_section_refuse(o, "cell_size", 0, "a length from 1 cm to 10 m");
    if (p->window_diameter < 5 || p->window_diameter > DRV_VFH_CELLS_MAX)
        ach_section_refuse(o, "window_diameter", 0, "5 to 501 cells");
    if (!(p->sector_angle >= 2 * M_PI / DRV_VFH_SECTORS_MAX && p->sector_angle <= M_PI / 4))
        ach_section_refuse(o, "sector_angle", 0, "an angle from 1 to 45 degrees");
}

static void motion(struct drv_vfh_options *p, ach_section_t *o)
{
    p->safety_dist = length_by_speed(o, "safety_dist_0ms", "safety_dist_1ms", 0.1);
    p->max_speed = ach_section_length(o, "max_speed", 0.2);
    p->acceleration = ach_section_length(o, "max_acceleration", 0.2);
    p->distance_epsilon = ach_section_length(o, "distance_epsilon", 0.5);
    p->angle_epsilon = ach_section_angle(o, "angle_epsilon", 10 * DEGREES);
    p->escape_speed = ach_section_length(o, "escape_speed", 0);
    p->escape_time = ach_section_double(o, "escape_time", 0);
    p->escape_turnrate = ach_section_angle(o, "escape_max_turnrate", 0);
    above_zero(o, "max_speed", p->max_speed);
    above_zero(o, "max_acceleration", p->acceleration);
    above_zero(o, "distance_epsilon", p->distance_epsilon);
    above_zero(o, "angle_epsilon", p->angle_epsilon);
}

ach_status_t drv_vfh_read_options(struct drv_vfh *v, ach_section_t *o)
{
    histogram(&v->options, o);
    turning(&v->options, o);
    motion(&v->options, o);
    v->radius_option = ach_section_length(o, "robot_radius", 0);
    v->data_timeout = ach_section_double(o, "data_timeout", 0.5);
    v->command_timeout = ach_section_double(o, "command_timeout", 1);
    above_zero(o, "data_timeout", v->data_timeout);
    above_zero(o, "command_timeout", v->command_timeout);
    ach_section_bool(o, "synchronous", false); /* of Player; has no effect here */
    if (ach_section_failed(o))
        return ach_errstr_set(ACH_EINVAL, "vfh: its options are wrong");
    v->histogram.sectors = (int)lround(2 * M_PI / v->options.sector_angle);
    v->histogram.each = 2 * M_PI / v->histogram.sectors;
    if (!drv_vfh_grid_init(&v->grid, v->options.cell_size, v->options.window_diameter | 1))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a grid");
    return ACH_OK;
}
