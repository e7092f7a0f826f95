/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * urg_laser.c - the driver for Hokuyo's URG scanners
 *
 * The main loop waits for scans and messages at the same time. A damaged scan is dropped and
 * counted. If scans stop coming, measuring is started again; if that does not help, the port is
 * closed and opened again, as after an unplugged cable.
 */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "../../util/monotonic.h"
#include "urg.h"

#define LOOK 0.5    /* s between attempts to connect again */
#define REMINDERS 2 /* attempts to start measuring again before the port is closed */

/* Log only when the count is a power of 2. */
static void damaged(struct drv_urg *u)
{
    u->damaged++;
    if ((u->damaged & (u->damaged - 1)) == 0)
        ach_driver_log(u->driver, ACH_LOG_WARNING,
                       "%s: %llu answers were damaged so far, and dropped; %llu scans were good",
                       u->path, (unsigned long long)u->damaged, (unsigned long long)u->scans);
}

static void lose(struct drv_urg *u, const char *why)
{
    ach_driver_log(u->driver, ACH_LOG_WARNING, "%s: %s; trying to reconnect", u->path, why);
    drv_urg_port_close(&u->port);
    u->tried = monotonic_seconds();
}

/* A scan has status 99 if the scanner sends by itself, 00 if it was polled. */
static void hear(struct drv_urg *u, struct drv_scip_text block)
{
    struct drv_scip_answer answer;

    if (!drv_scip_answer(block, &answer)) {
        damaged(u);
        return;
    }
    if (!drv_urg_is_scan(u, &answer.command) || strcmp(answer.status, u->polled ? "00" : "99") != 0)
        return;
    u->heard = monotonic_seconds();
    u->silent = 0;
    if (drv_scip_scan(answer.rest, u->chars, &u->scan) &&
        u->scan.count == drv_urg_count(&u->measure)) {
        drv_urg_publish(u);
        u->scans++;
    } else {
        damaged(u);
    }
    if (u->polled && u->power && !drv_urg_poll(u))
        lose(u, "it accepts no commands");
}

static void check_silence(struct drv_urg *u)
{
    if (!u->power || monotonic_seconds() - u->heard < u->timeout)
        return;
    if (++u->silent > REMINDERS) {
        u->silent = 0;
        lose(u, "it has stopped sending");
    } else if (!drv_urg_begin(u)) {
        lose(u, "it does not answer");
    }
}

static void listen(struct drv_urg *u)
{
    struct drv_scip_text block;

    switch (drv_urg_port_next(&u->port, u->timeout / 4, ach_driver_fd(u->driver), &block)) {
    case DRV_URG_BLOCK:
        hear(u, block);
        break;
    case DRV_URG_NOTHING:
        break;
    case DRV_URG_LOST:
        lose(u, "the connection is lost");
        return;
    }
    if (u->port.fd >= 0)
        check_silence(u);
}

static void look_for_it(struct drv_urg *u)
{
    struct pollfd p = {.fd = ach_driver_fd(u->driver), .events = POLLIN};
    double left = u->tried + LOOK - monotonic_seconds();

    if (left > 0) {
        poll(&p, 1, (int)(left * 1000) + 1);
        return;
    }
    u->tried = monotonic_seconds();
    if (drv_urg_connect(u) == ACH_OK)
        ach_driver_log(u->driver, ACH_LOG_INFO, "%s: the scanner is back", u->path);
    u->tried = monotonic_seconds();
}

static void urg_laser_run(ach_driver_t *driver, void *state)
{
    struct drv_urg *u = state;

    while (ach_driver_wait(driver, 0))
        if (u->port.fd >= 0)
            listen(u);
        else
            look_for_it(u);
}

static ach_status_t urg_laser_setup(ach_driver_t *driver, void *state)
{
    struct drv_urg *u = state;
    ach_status_t status;

    u->power = true;
    u->silent = 0;
    status = drv_urg_connect(u);
    if (status == ACH_OK)
        ach_driver_log(driver, ACH_LOG_INFO, "%s: scanner %u, %u to %u mm, steps %u to %u of %u",
                       u->path, u->model.serial, u->model.min_mm, u->model.max_mm, u->model.first,
                       u->model.last, u->model.steps);
    return status;
}

static void urg_laser_shut_down(ach_driver_t *driver, void *state)
{
    struct drv_urg *u = state;

    (void)driver;
    if (u->port.fd >= 0)
        drv_urg_end(u);
    drv_urg_port_close(&u->port);
}

static void read_geometry(struct drv_urg *u, ach_section_t *o)
{
    u->geom = (ach_laser_geom_t){.pose = {.px = ach_section_tuple_length(o, "pose", 0, 0),
                                          .py = ach_section_tuple_length(o, "pose", 1, 0),
                                          .pyaw = ach_section_tuple_angle(o, "pose", 2, 0)},
                                 .size = {.sl = ach_section_tuple_length(o, "size", 0, 0.05),
                                          .sw = ach_section_tuple_length(o, "size", 1, 0.05),
                                          .sh = 0.07}};
}

static unsigned whole(ach_section_t *o, const char *name, int fallback, int min, int max,
                      const char *expected)
{
    int v = ach_section_int(o, name, fallback);

    if (v >= min && v <= max)
        return (unsigned)v;
    ach_section_refuse(o, name, 0, expected);
    return (unsigned)fallback;
}

static ach_status_t urg_laser_read_options(struct drv_urg *u, ach_section_t *o)
{
    u->path = ach_section_string(o, "port", "/dev/ttyACM0");
    u->speed = whole(o, "baud", 115200, 19200, 500000, "19200 to 500000");
    u->chars = whole(o, "encoding", 3, 2, 3, "2 or 3 characters");
    u->polled = !ach_section_bool(o, "continuous", true);
    u->timeout = ach_section_double(o, "timeout", 1.5);
    u->min_angle = ach_section_angle(o, "min_angle", -2 * M_PI);
    u->max_angle = ach_section_angle(o, "max_angle", 2 * M_PI);
    u->cluster = whole(o, "cluster", 1, 1, 99, "1 to 99 steps");
    u->skip = whole(o, "skip", 0, 0, 9, "0 to 9 scans");
    read_geometry(u, o);
    if (!(u->timeout >= 0.1 && u->timeout <= 60))
        ach_section_refuse(o, "timeout", 0, "0.1 to 60 s");
    if (!(u->min_angle <= u->max_angle))
        ach_section_refuse(o, "max_angle", 0, "an angle above min_angle");
    return ach_section_failed(o) ? ach_errstr_set(ACH_EINVAL, "urg_laser: its options are wrong")
                                 : ACH_OK;
}

static ach_status_t urg_laser_claim(struct drv_urg *u)
{
    ach_status_t status = ach_driver_provide(u->driver, ACH_LASER_CODE, NULL, &u->address);
    uint8_t subtype;

    for (subtype = ACH_LASER_REQ_GET_GEOM; subtype <= ACH_LASER_REQ_GET_ID && status == ACH_OK;
         subtype++)
        status = ach_driver_handles(u->driver, &u->address, ACH_MSG_REQ, subtype);
    return status;
}

static ach_status_t urg_laser_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct drv_urg *u = calloc(1, sizeof(*u));
    ach_status_t status;

    if (!u)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a scanner");
    u->driver = driver;
    u->port.fd = -1;
    status = urg_laser_claim(u);
    if (status == ACH_OK)
        status = urg_laser_read_options(u, options);
    if (status != ACH_OK)
        free(u);
    else
        *state = u;
    return status;
}

static void urg_laser_destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    free(state);
}

const ach_driver_class_t drv_driver_urg_laser = {
    .version = ACH_DRIVER_VERSION,
    .name = "urg_laser",
    .create = urg_laser_create,
    .destroy = urg_laser_destroy,
    .setup = urg_laser_setup,
    .shutdown = urg_laser_shut_down,
    .process = drv_urg_process,
    .main = urg_laser_run,
};
