/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.c - the vfh driver: a position2d device that avoids obstacles */
#include "driver.h"

#include <math.h>
#include <stdlib.h>

/* Seconds between checks for stale data and commands. */
#define WATCH 0.1

static ach_status_t driver_claim(struct drv_vfh *v)
{
    static const uint8_t messages[][2] = {{ACH_MSG_CMD, ACH_POSITION2D_CMD_VEL},
                                          {ACH_MSG_CMD, ACH_POSITION2D_CMD_POS}};
    ach_status_t status = ach_driver_provide(v->driver, ACH_POSITION2D_CODE, NULL, &v->out);
    size_t i;

    for (i = 0; i < 2 && status == ACH_OK; i++)
        status = ach_driver_handles(v->driver, &v->out, messages[i][0], messages[i][1]);
    if (status == ACH_OK)
        status = ach_driver_require(v->driver, ACH_POSITION2D_CODE, NULL, &v->position);
    if (status != ACH_OK)
        return status;
    status = ach_driver_require(v->driver, ACH_LASER_CODE, NULL, &v->scanner);
    if (status != ACH_ENOENT)
        return status;
    v->ranger = true;
    return ach_driver_require(v->driver, ACH_RANGER_CODE, NULL, &v->scanner);
}

static void driver_destroy(ach_driver_t *driver, void *state)
{
    struct drv_vfh *v = state;

    (void)driver;
    drv_vfh_grid_finish(&v->grid);
    free(v);
}

static ach_status_t driver_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct drv_vfh *v = calloc(1, sizeof(*v));
    ach_status_t status;

    if (!v)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for vfh");
    v->driver = driver;
    status = driver_claim(v);
    if (status == ACH_OK)
        status = drv_vfh_read_options(v, options);
    if (status != ACH_OK) {
        driver_destroy(driver, v);
        return status;
    }
    *state = v;
    return ACH_OK;
}

static ach_status_t driver_setup(ach_driver_t *driver, void *state)
{
    struct drv_vfh *v = state;

    v->mode = DRV_VFH_IDLE;
    v->position_at = v->scan_at = -1;
    v->stale = true;
    v->escape_until = 0;
    v->command_at = ach_driver_time(driver);
    drv_vfh_grid_clear(&v->grid);
    return drv_vfh_learn_geometry(v);
}

static void driver_shut_down(ach_driver_t *driver, void *state)
{
    struct drv_vfh *v = state;

    (void)driver;
    if (v->mode != DRV_VFH_IDLE)
        drv_vfh_stop(v);
    pending_release(&v->asked);
}

static ach_status_t driver_vel(struct drv_vfh *v, const ach_position2d_cmd_vel_t *b)
{
    if (!b || !isfinite(b->vel.px) || !isfinite(b->vel.pa))
        return ach_errstr_set(ACH_EINVAL, "the velocity is missing or not finite");
    v->mode = DRV_VFH_VEL;
    v->vel_speed = b->vel.px;
    v->vel_turn = b->vel.pa;
    v->vel_at = ach_driver_time(v->driver);
    return ACH_OK;
}

static ach_status_t driver_pos(struct drv_vfh *v, const ach_position2d_cmd_pos_t *b)
{
    if (!b || !(fabs(b->pos.px) < 1e6 && fabs(b->pos.py) < 1e6 && isfinite(b->pos.pa)))
        return ach_errstr_set(ACH_EINVAL, "the goal is missing, not finite or too far away");
    v->goal = b->pos;
    v->goal_speed = isfinite(b->vel.px) ? fabs(b->vel.px) : 0;
    v->previous = v->state.pose.pa;
    v->mode = DRV_VFH_GOAL;
    return ACH_OK;
}

/* Stop the robot if the data is too old to show obstacles. */
static bool fresh(struct drv_vfh *v)
{
    double since = ach_driver_time(v->driver) - v->data_timeout;
    bool stale = v->position_at < since || v->scan_at < since;

    if (stale && !v->stale && v->mode != DRV_VFH_IDLE) {
        drv_vfh_stop(v);
        ach_driver_log(v->driver, ACH_LOG_WARNING, "no %s for %g s: the robot is stopped",
                       v->scan_at < since ? "scan" : "odometry", v->data_timeout);
    }
    v->stale = stale;
    return !stale;
}

static ach_status_t driver_data(struct drv_vfh *v, const ach_message_t *m)
{
    ach_status_t status;

    if (ach_address_equal(&ach_message_header(m)->address, &v->position)) {
        if (ach_message_header(m)->subtype != ACH_POSITION2D_DATA_STATE)
            return ach_driver_forward(v->driver, &v->out, m);
        return drv_vfh_position_data(v, m);
    }
    status = drv_vfh_scan_data(v, m);
    if (status == ACH_OK && fresh(v))
        drv_vfh_steer(v);
    return status;
}

static ach_status_t driver_command(struct drv_vfh *v, const ach_message_t *m)
{
    switch (ach_message_header(m)->subtype) {
    case ACH_POSITION2D_CMD_VEL:
        return driver_vel(v, ach_message_body(m));
    case ACH_POSITION2D_CMD_POS:
        return driver_pos(v, ach_message_body(m));
    }
    return ACH_ENOTSUP;
}

/* Setting the odometry invalidates the goal and the grid. */
static ach_status_t driver_request(struct drv_vfh *v, const ach_message_t *m)
{
    uint8_t subtype = ach_message_header(m)->subtype;

    if (subtype == ACH_POSITION2D_REQ_SET_ODOM || subtype == ACH_POSITION2D_REQ_RESET_ODOM) {
        v->mode = DRV_VFH_IDLE;
        drv_vfh_stop(v);
        drv_vfh_grid_clear(&v->grid);
    }
    return drv_pending_pass(&v->asked, v->driver, &v->position, m);
}

static ach_status_t driver_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    struct drv_vfh *v = state;

    switch (ach_message_header(message)->type) {
    case ACH_MSG_DATA:
        return driver_data(v, message);
    case ACH_MSG_CMD:
        return driver_command(v, message);
    case ACH_MSG_REQ:
        return driver_request(v, message);
    case ACH_MSG_ACK:
    case ACH_MSG_NACK:
        return drv_pending_relay(&v->asked, driver, message);
    }
    return ACH_ENOTSUP;
}

static void driver_run(ach_driver_t *driver, void *state)
{
    while (ach_driver_wait(driver, WATCH))
        fresh(state);
}

const ach_driver_class_t drv_driver_vfh = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_TRANSPARENT,
    .name = "vfh",
    .create = driver_create,
    .destroy = driver_destroy,
    .setup = driver_setup,
    .shutdown = driver_shut_down,
    .process = driver_process,
    .main = driver_run,
};
