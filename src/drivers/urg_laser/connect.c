/* SPDX-License-Identifier: BSD-3-Clause */
/* connect.c - find a scanner on a port, at any line speed, and read its model */
#include <errno.h>
#include <string.h>

#include "urg.h"

#define ANSWER 0.4 /* s for an answer */
#define TRIES 3    /* attempts if an answer is damaged */

/* Stop a scanner that is sending scans (QT); the scans it sent before are skipped. */
static bool hello(struct drv_urg *u)
{
    struct drv_scip_answer answer;

    if (drv_urg_port_ask(&u->port, "QT", ANSWER, &answer) == DRV_URG_BLOCK)
        return true;
    /* An old scanner starts in SCIP 1, or it has received an incomplete line before. */
    if (!drv_urg_port_send(&u->port, "SCIP2.0"))
        return false;
    return drv_urg_port_ask(&u->port, "QT", ANSWER, &answer) == DRV_URG_BLOCK;
}

static unsigned find_speed(struct drv_urg *u)
{
    const unsigned speeds[] = {u->speed, 19200, 115200, 57600, 38400};
    size_t i;

    for (i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
        if ((i == 0 || speeds[i] != u->speed) && drv_urg_port_speed(&u->port, speeds[i]) &&
            hello(u))
            return speeds[i];
    return 0;
}

/* Answers: 00; 02: it has this speed already; 03: speed not supported, as on USB. */
static bool change_speed(struct drv_urg *u, unsigned speed)
{
    struct drv_scip_answer answer;
    char command[16];

    if (speed == u->speed)
        return true;
    snprintf(command, sizeof(command), "SS%06u", u->speed);
    if (drv_urg_port_ask(&u->port, command, ANSWER, &answer) != DRV_URG_BLOCK)
        return false;
    if (strcmp(answer.status, "03") == 0)
        return true;
    return strcmp(answer.status, "01") != 0 && drv_urg_port_speed(&u->port, u->speed) && hello(u);
}

static bool read_model(struct drv_scip_text t, struct drv_urg_model *m)
{
    return drv_scip_number(t, "DMIN", &m->min_mm) && drv_scip_number(t, "DMAX", &m->max_mm) &&
           drv_scip_number(t, "ARES", &m->steps) && drv_scip_number(t, "AMIN", &m->first) &&
           drv_scip_number(t, "AMAX", &m->last) && drv_scip_number(t, "AFRT", &m->front) &&
           drv_scip_number(t, "SCAN", &m->rpm);
}

static bool sensible(const struct drv_urg_model *m)
{
    return m->min_mm < m->max_mm && m->steps >= 4 && m->first <= m->front && m->front <= m->last &&
           m->last - m->first < DRV_SCIP_STEPS_MAX && m->last < 10000 &&
           m->last - m->first < m->steps && m->rpm > 0;
}

/* All digits of the serial number; other characters are skipped. */
static uint32_t serial_number(struct drv_scip_text t)
{
    struct drv_scip_text value;
    uint32_t n = 0;

    if (!drv_scip_field(t, "SERI", &value))
        return 0;
    for (; value.size > 0; value.at++, value.size--)
        if (*value.at >= '0' && *value.at <= '9')
            n = n * 10 + (uint32_t)(*value.at - '0');
    return n;
}

static bool connect_learn(struct drv_urg *u)
{
    struct drv_scip_answer answer;
    struct drv_urg_model m;
    int i;

    for (i = 0; i < TRIES; i++) {
        if (drv_urg_port_ask(&u->port, "PP", ANSWER, &answer) != DRV_URG_BLOCK ||
            !read_model(answer.rest, &m) || !sensible(&m))
            continue;
        m.serial = 0;
        if (drv_urg_port_ask(&u->port, "VV", ANSWER, &answer) == DRV_URG_BLOCK)
            m.serial = serial_number(answer.rest);
        u->model = m;
        return true;
    }
    return false;
}

static ach_status_t meet(struct drv_urg *u)
{
    unsigned speed = find_speed(u);

    if (!speed)
        return ach_errstr_set(ACH_TIMEOUT, "nothing at %s answers in SCIP 2.0", u->path);
    if (!change_speed(u, speed))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "the scanner at %s does not accept %u baud",
                              u->path, u->speed);
    if (!connect_learn(u))
        return ach_errstr_set(ACH_CORRUPT, "the device at %s is not a usable scanner", u->path);
    if (!drv_urg_measure_for(&u->model, u->min_angle, u->max_angle, u->cluster, u->skip,
                             &u->measure))
        return ach_errstr_set(ACH_EINVAL, "the scanner at %s does not cover these angles", u->path);
    return ACH_OK;
}

ach_status_t drv_urg_connect(struct drv_urg *u)
{
    ach_status_t status;

    if (!drv_urg_port_open(&u->port, u->path, u->speed))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot open %s: %s", u->path, strerror(errno));
    status = meet(u);
    if (status == ACH_OK && u->power && !drv_urg_begin(u))
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "the scanner at %s does not measure", u->path);
    if (status != ACH_OK)
        drv_urg_port_close(&u->port);
    return status;
}
