/* SPDX-License-Identifier: BSD-3-Clause */
/* connect.c - find a scanner at a port, at whatever speed its line has, and learn what it is */
#include <errno.h>
#include <string.h>

#include "urg.h"

#define ANSWER 0.4 /* s for an answer */
#define TRIES 3    /* for an answer that was damaged */

/* A scanner that sends is told to be quiet; what it had sent before is passed over. */
static bool hello(struct achi_urg *u)
{
    struct achi_scip_answer answer;

    if (achi_urg_port_ask(&u->port, "QT", ANSWER, &answer) == ACHI_URG_BLOCK)
        return true;
    /* An old one wakes up with version 1 of the language, or a line is half said. */
    if (!achi_urg_port_send(&u->port, "SCIP2.0"))
        return false;
    return achi_urg_port_ask(&u->port, "QT", ANSWER, &answer) == ACHI_URG_BLOCK;
}

static unsigned find_speed(struct achi_urg *u)
{
    const unsigned speeds[] = {u->speed, 19200, 115200, 57600, 38400};
    size_t i;

    for (i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
        if ((i == 0 || speeds[i] != u->speed) && achi_urg_port_speed(&u->port, speeds[i]) &&
            hello(u))
            return speeds[i];
    return 0;
}

/* Answers: 00, or 02 if that is its speed already; 03: it has no such speeds, as on USB. */
static bool change_speed(struct achi_urg *u, unsigned speed)
{
    struct achi_scip_answer answer;
    char command[16];

    if (speed == u->speed)
        return true;
    snprintf(command, sizeof(command), "SS%06u", u->speed);
    if (achi_urg_port_ask(&u->port, command, ANSWER, &answer) != ACHI_URG_BLOCK)
        return false;
    if (strcmp(answer.status, "03") == 0)
        return true;
    return strcmp(answer.status, "01") != 0 && achi_urg_port_speed(&u->port, u->speed) && hello(u);
}

static bool read_model(struct achi_scip_text t, struct achi_urg_model *m)
{
    return achi_scip_number(t, "DMIN", &m->min_mm) && achi_scip_number(t, "DMAX", &m->max_mm) &&
           achi_scip_number(t, "ARES", &m->steps) && achi_scip_number(t, "AMIN", &m->first) &&
           achi_scip_number(t, "AMAX", &m->last) && achi_scip_number(t, "AFRT", &m->front) &&
           achi_scip_number(t, "SCAN", &m->rpm);
}

static bool sensible(const struct achi_urg_model *m)
{
    return m->min_mm < m->max_mm && m->steps >= 4 && m->first <= m->front && m->front <= m->last &&
           m->last - m->first < ACHI_SCIP_STEPS_MAX && m->last < 10000 &&
           m->last - m->first < m->steps && m->rpm > 0;
}

/* Its digits, whatever is between them. */
static uint32_t serial_number(struct achi_scip_text t)
{
    struct achi_scip_text value;
    uint32_t n = 0;

    if (!achi_scip_field(t, "SERI", &value))
        return 0;
    for (; value.size > 0; value.at++, value.size--)
        if (*value.at >= '0' && *value.at <= '9')
            n = n * 10 + (uint32_t)(*value.at - '0');
    return n;
}

static bool learn(struct achi_urg *u)
{
    struct achi_scip_answer answer;
    struct achi_urg_model m;
    int i;

    for (i = 0; i < TRIES; i++) {
        if (achi_urg_port_ask(&u->port, "PP", ANSWER, &answer) != ACHI_URG_BLOCK ||
            !read_model(answer.rest, &m) || !sensible(&m))
            continue;
        m.serial = 0;
        if (achi_urg_port_ask(&u->port, "VV", ANSWER, &answer) == ACHI_URG_BLOCK)
            m.serial = serial_number(answer.rest);
        u->model = m;
        return true;
    }
    return false;
}

static ach_status_t meet(struct achi_urg *u)
{
    unsigned speed = find_speed(u);

    if (!speed)
        return ach_errstr_set(ACH_TIMEOUT, "nothing at %s answers in SCIP 2.0", u->path);
    if (!change_speed(u, speed))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "the scanner at %s does not take %u baud",
                              u->path, u->speed);
    if (!learn(u))
        return ach_errstr_set(ACH_CORRUPT, "what is at %s is no scanner that can be used", u->path);
    if (!achi_urg_measure_for(&u->model, u->min_angle, u->max_angle, u->cluster, u->skip,
                              &u->measure))
        return ach_errstr_set(ACH_EINVAL, "the scanner at %s does not see these angles", u->path);
    return ACH_OK;
}

ach_status_t achi_urg_connect(struct achi_urg *u)
{
    ach_status_t status;

    if (!achi_urg_port_open(&u->port, u->path, u->speed))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot open %s: %s", u->path, strerror(errno));
    status = meet(u);
    if (status == ACH_OK && u->power && !achi_urg_begin(u))
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "the scanner at %s does not measure", u->path);
    if (status != ACH_OK)
        achi_urg_port_close(&u->port);
    return status;
}
