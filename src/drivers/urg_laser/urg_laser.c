/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * urg_laser.c - the driver for Hokuyo's URG scanners
 *
 * The main loop waits for scans and for messages at once. A scan that is damaged is
 * dropped and counted. A scanner that falls silent is reminded, then looked for
 * again, as one that was pulled out.
 */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "urg.h"

#define LOOK 0.5    /* s between attempts to find it again */
#define REMINDERS 2 /* before it is given up */

/* Not more often than it has doubled. */
static void damaged(struct achi_urg *u)
{
    u->damaged++;
    if ((u->damaged & (u->damaged - 1)) == 0)
        ach_driver_log(u->driver, ACH_LOG_WARNING,
                       "%s: %llu answers were damaged so far, and dropped; %llu scans were good",
                       u->path, (unsigned long long)u->damaged, (unsigned long long)u->scans);
}

static void lose(struct achi_urg *u, const char *why)
{
    ach_driver_log(u->driver, ACH_LOG_WARNING, "%s: %s; it is tried again", u->path, why);
    achi_urg_port_close(&u->port);
    u->tried = achi_urg_clock();
}

/* A scan has the status 99 if it comes by itself, 00 if it was asked for. */
static void hear(struct achi_urg *u, struct achi_scip_text block)
{
    struct achi_scip_answer answer;

    if (!achi_scip_answer(block, &answer)) {
        damaged(u);
        return;
    }
    if (!achi_urg_is_scan(u, &answer.command) ||
        strcmp(answer.status, u->polled ? "00" : "99") != 0)
        return;
    u->heard = achi_urg_clock();
    u->silent = 0;
    if (achi_scip_scan(answer.rest, u->chars, &u->scan) &&
        u->scan.count == achi_urg_count(&u->measure)) {
        achi_urg_publish(u);
        u->scans++;
    } else {
        damaged(u);
    }
    if (u->polled && u->power && !achi_urg_poll(u))
        lose(u, "it takes no commands");
}

static void check_silence(struct achi_urg *u)
{
    if (!u->power || achi_urg_clock() - u->heard < u->timeout)
        return;
    if (++u->silent > REMINDERS) {
        u->silent = 0;
        lose(u, "it has fallen silent");
    } else if (!achi_urg_begin(u)) {
        lose(u, "it does not answer");
    }
}

static void listen(struct achi_urg *u)
{
    struct achi_scip_text block;

    switch (achi_urg_port_next(&u->port, u->timeout / 4, ach_driver_fd(u->driver), &block)) {
    case ACHI_URG_BLOCK:
        hear(u, block);
        break;
    case ACHI_URG_NOTHING:
        break;
    case ACHI_URG_LOST:
        lose(u, "the line is gone");
        return;
    }
    if (u->port.fd >= 0)
        check_silence(u);
}

static void look_for_it(struct achi_urg *u)
{
    struct pollfd p = {.fd = ach_driver_fd(u->driver), .events = POLLIN};
    double left = u->tried + LOOK - achi_urg_clock();

    if (left > 0) {
        poll(&p, 1, (int)(left * 1000) + 1);
        return;
    }
    u->tried = achi_urg_clock();
    if (achi_urg_connect(u) == ACH_OK)
        ach_driver_log(u->driver, ACH_LOG_INFO, "%s: the scanner is back", u->path);
    u->tried = achi_urg_clock();
}

static void run(ach_driver_t *driver, void *state)
{
    struct achi_urg *u = state;

    while (ach_driver_wait(driver, 0))
        if (u->port.fd >= 0)
            listen(u);
        else
            look_for_it(u);
}

static ach_status_t setup(ach_driver_t *driver, void *state)
{
    struct achi_urg *u = state;
    ach_status_t status;

    u->power = true;
    u->silent = 0;
    status = achi_urg_connect(u);
    if (status == ACH_OK)
        ach_driver_log(driver, ACH_LOG_INFO, "%s: scanner %u, %u to %u mm, steps %u to %u of %u",
                       u->path, u->model.serial, u->model.min_mm, u->model.max_mm, u->model.first,
                       u->model.last, u->model.steps);
    return status;
}

static void shut_down(ach_driver_t *driver, void *state)
{
    struct achi_urg *u = state;

    (void)driver;
    if (u->port.fd >= 0)
        achi_urg_end(u);
    achi_urg_port_close(&u->port);
}

static void read_geometry(struct achi_urg *u, ach_section_t *o)
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

static ach_status_t read_options(struct achi_urg *u, ach_section_t *o)
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

static ach_status_t claim(struct achi_urg *u)
{
    ach_status_t status = ach_driver_provide(u->driver, ACH_LASER_CODE, NULL, &u->address);
    uint8_t subtype;

    for (subtype = ACH_LASER_REQ_GET_GEOM; subtype <= ACH_LASER_REQ_GET_ID && status == ACH_OK;
         subtype++)
        status = ach_driver_handles(u->driver, &u->address, ACH_MSG_REQ, subtype);
    return status;
}

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct achi_urg *u = calloc(1, sizeof(*u));
    ach_status_t status;

    if (!u)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a scanner");
    u->driver = driver;
    u->port.fd = -1;
    status = claim(u);
    if (status == ACH_OK)
        status = read_options(u, options);
    if (status != ACH_OK)
        free(u);
    else
        *state = u;
    return status;
}

static void destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    free(state);
}

const ach_driver_class_t achi_driver_urg_laser = {
    .version = ACH_DRIVER_VERSION,
    .name = "urg_laser",
    .create = create,
    .destroy = destroy,
    .setup = setup,
    .shutdown = shut_down,
    .process = achi_urg_process,
    .main = run,
};
