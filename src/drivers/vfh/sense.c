/* SPDX-License-Identifier: BSD-3-Clause */
/* sense.c - position and scanner data: the robot's pose and the obstacles */
#include <math.h>

#include "driver.h"

/* A larger move between two messages, in m, means that the odometry was set. */
#define JUMP 0.5

/* Seconds to wait for the geometry. */
#define PATIENCE 2.0

static void set_mount(struct drv_vfh *v, const ach_pose3d_t *pose)
{
    if (isfinite(pose->px) && isfinite(pose->py) && isfinite(pose->pyaw))
        v->mount = (ach_pose2d_t){pose->px, pose->py, pose->pyaw};
}

/* Request a struct; NULL: no answer. The caller releases *answer. */
static const void *ask(struct drv_vfh *v, const ach_address_t *whom, uint8_t subtype,
                       ach_message_t **answer)
{
    *answer = NULL;
    if (ach_driver_request(v->driver, whom, subtype, NULL, PATIENCE, answer) != ACH_OK)
        return NULL;
    return ach_message_body(*answer);
}

static void learn_radius(struct drv_vfh *v)
{
    ach_message_t *answer;
    const ach_position2d_geom_t *geom = ask(v, &v->position, ACH_POSITION2D_REQ_GET_GEOM, &answer);

    v->options.robot_radius = v->radius_option;
    if (!(v->radius_option > 0) && geom && geom->size.sl > 0)
        v->options.robot_radius = fmax(geom->size.sl, geom->size.sw) / 2;
    ach_message_unref(answer);
}

static void learn_laser(struct drv_vfh *v)
{
    ach_message_t *answer;
    const ach_laser_geom_t *geom = ask(v, &v->scanner, ACH_LASER_REQ_GET_GEOM, &answer);

    if (geom)
        set_mount(v, &geom->pose);
    ach_message_unref(answer);
}

/* A ranger's data does not contain the angles: request its configuration. */
static bool learn_ranger(struct drv_vfh *v)
{
    ach_message_t *answer, *second;
    const ach_ranger_geom_t *geom = ask(v, &v->scanner, ACH_RANGER_REQ_GET_GEOM, &answer);
    const ach_ranger_config_t *config = ask(v, &v->scanner, ACH_RANGER_REQ_GET_CONFIG, &second);
    bool ok = config && config->angular_res > 0 && config->max_range > 0;

    if (geom)
        set_mount(v, &geom->pose);
    if (ok) {
        v->ranger_min = config->min_angle;
        v->ranger_each = config->angular_res;
        v->ranger_max = config->max_range;
    }
    ach_message_unref(answer);
    ach_message_unref(second);
    return ok;
}

ach_status_t drv_vfh_learn_geometry(struct drv_vfh *v)
{
    learn_radius(v);
    if (!(v->options.robot_radius > 0))
        return ach_errstr_set(
            ACH_EINVAL, "vfh: the robot does not report its size; set the option robot_radius");
    if (!v->ranger)
        learn_laser(v);
    else if (!learn_ranger(v))
        return ach_errstr_set(ACH_EINVAL,
                              "vfh: the ranger does not report the directions of its rays");
    return ACH_OK;
}

ach_status_t drv_vfh_position_data(struct drv_vfh *v, const ach_message_t *m)
{
    const ach_position2d_data_t *d = ach_message_body(m);
    double now = ach_driver_time(v->driver);

    if (!d || !(fabs(d->pos.px) < 1e6 && fabs(d->pos.py) < 1e6 && isfinite(d->pos.pa)))
        return ach_errstr_set(ACH_CORRUPT, "no odometry");
    if (hypot(d->pos.px - v->state.pose.px, d->pos.py - v->state.pose.py) > JUMP)
        drv_vfh_grid_clear(&v->grid);
    v->state.pose = d->pos;
    v->state.speed = isfinite(d->vel.px) ? d->vel.px : 0;
    v->state.turnrate = isfinite(d->vel.pa) ? d->vel.pa : 0;
    v->position_at = now;
    if (d->stall && v->options.escape_time > 0 && v->mode == DRV_VFH_GOAL &&
        now >= v->escape_until) {
        v->escape_until = now + v->options.escape_time;
        v->escape_turn =
            v->escape_turn > 0 ? -v->options.escape_turnrate : v->options.escape_turnrate;
    }
    return ach_driver_forward(v->driver, &v->out, m);
}

static void sense_ray(struct drv_vfh *v, double angle, double range, double max)
{
    const ach_pose2d_t *p = &v->state.pose;
    double ca = cos(p->pa), sa = sin(p->pa);

    if (!(range >= 0))
        return;
    drv_vfh_grid_ray(&v->grid, p->px + ca * v->mount.px - sa * v->mount.py,
                     p->py + sa * v->mount.px + ca * v->mount.py, p->pa + v->mount.pa + angle,
                     fmin(range, fmin(max, 1e3)), range < max * 0.999);
}

static void laser_scan(struct drv_vfh *v, const ach_laser_data_t *d)
{
    uint32_t i;

    for (i = 0; i < d->ranges_count; i++)
        sense_ray(v, (double)d->min_angle + i * (double)d->resolution, (double)d->ranges[i],
                  (double)d->max_range);
}

static ach_status_t laser_data(struct drv_vfh *v, const ach_message_t *m)
{
    const ach_laser_data_t *d = ach_message_body(m);
    uint8_t subtype = ach_message_header(m)->subtype;

    if (subtype == ACH_LASER_DATA_SCANPOSE) {
        learn_laser(v);
        d = d ? &((const ach_laser_data_scanpose_t *)(const void *)d)->scan : NULL;
    } else if (subtype != ACH_LASER_DATA_SCAN) {
        return ACH_OK;
    }
    if (!d || !isfinite(d->min_angle) || !isfinite(d->resolution))
        return ach_errstr_set(ACH_CORRUPT, "no scan");
    laser_scan(v, d);
    v->scan_at = ach_driver_time(v->driver);
    return ACH_OK;
}

static ach_status_t ranger_data(struct drv_vfh *v, const ach_message_t *m)
{
    const void *body = ach_message_body(m);
    const ach_ranger_data_range_t *d = body;
    uint32_t i;

    if (!body)
        return ach_errstr_set(ACH_CORRUPT, "no ranges");
    if (ach_message_header(m)->subtype == ACH_RANGER_DATA_GEOM)
        set_mount(v, &((const ach_ranger_geom_t *)body)->pose);
    if (ach_message_header(m)->subtype != ACH_RANGER_DATA_RANGE)
        return ACH_OK;
    for (i = 0; i < d->ranges_count; i++)
        sense_ray(v, v->ranger_min + i * v->ranger_each, d->ranges[i], v->ranger_max);
    v->scan_at = ach_driver_time(v->driver);
    return ACH_OK;
}

ach_status_t drv_vfh_scan_data(struct drv_vfh *v, const ach_message_t *m)
{
    if (v->position_at < 0)
        return ACH_OK; /* the robot's pose at the scan is unknown */
    return v->ranger ? ranger_data(v, m) : laser_data(v, m);
}
