/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c - commands that start and stop measuring, and conversion of their parameters */
#include <math.h>
#include <string.h>

#include "../../util/monotonic.h"
#include "urg.h"

#define ANSWER 1.0 /* s for an answer */
#define TRIES 3    /* attempts if an answer is damaged */

double drv_urg_step_angle(const struct drv_urg_model *m)
{
    return 2 * M_PI / m->steps;
}

double drv_urg_angle(const struct drv_urg_model *m, unsigned step)
{
    return ((double)step - (double)m->front) * drv_urg_step_angle(m);
}

unsigned drv_urg_count(const struct drv_urg_measure *m)
{
    return (m->last - m->first) / m->cluster + 1;
}

double drv_urg_frequency(const struct drv_urg *u)
{
    return u->model.rpm / 60.0 / (u->measure.skip + 1);
}

static unsigned nearest_step(const struct drv_urg_model *m, double angle)
{
    double step = round(angle / drv_urg_step_angle(m)) + m->front;

    return step < m->first ? m->first : step > m->last ? m->last : (unsigned)step;
}

bool drv_urg_measure_for(const struct drv_urg_model *m, double min_angle, double max_angle,
                         unsigned cluster, unsigned skip, struct drv_urg_measure *measure)
{
    if (!isfinite(min_angle) || !isfinite(max_angle) || min_angle > max_angle || cluster < 1 ||
        cluster > 99 || skip > 9 || min_angle > drv_urg_angle(m, m->last) ||
        max_angle < drv_urg_angle(m, m->first))
        return false;
    *measure = (struct drv_urg_measure){.first = nearest_step(m, min_angle),
                                        .last = nearest_step(m, max_angle),
                                        .cluster = cluster,
                                        .skip = skip};
    return true;
}

/* MD and GD have three characters for each range, MS and GS two. */
static void scan_command(const struct drv_urg *u, char *command, size_t size)
{
    const struct drv_urg_measure *m = &u->measure;
    char how = u->chars == 3 ? 'D' : 'S';

    if (u->polled)
        snprintf(command, size, "G%c%04u%04u%02u", how, m->first, m->last, m->cluster);
    else
        snprintf(command, size, "M%c%04u%04u%02u%u00", how, m->first, m->last, m->cluster, m->skip);
}

/* In answers to MD and MS the last two digits count the remaining scans: do not compare them. */
bool drv_urg_is_scan(const struct drv_urg *u, const struct drv_scip_text *command)
{
    char mine[32];
    size_t n;

    scan_command(u, mine, sizeof(mine));
    n = strlen(mine);
    return command->size == n && memcmp(command->at, mine, u->polled ? n : n - 2) == 0;
}

/* Send a command. True: the scanner answered with status good or too. */
static bool measure_tell(struct drv_urg *u, const char *command, const char *good, const char *too)
{
    struct drv_scip_answer answer;
    int i;

    for (i = 0; i < TRIES; i++)
        switch (drv_urg_port_ask(&u->port, command, ANSWER, &answer)) {
        case DRV_URG_BLOCK:
            return strcmp(answer.status, good) == 0 || strcmp(answer.status, too) == 0;
        case DRV_URG_NOTHING:
            break;
        case DRV_URG_LOST:
            return false;
        }
    return false;
}

bool drv_urg_poll(struct drv_urg *u)
{
    char command[32];

    scan_command(u, command, sizeof(command));
    return drv_urg_port_send(&u->port, command);
}

/* 02: the laser is on already. */
bool drv_urg_begin(struct drv_urg *u)
{
    char command[32];

    scan_command(u, command, sizeof(command));
    u->heard = monotonic_seconds();
    if (!measure_tell(u, "QT", "00", "02") || !measure_tell(u, "BM", "00", "02"))
        return false;
    return u->polled ? drv_urg_poll(u) : measure_tell(u, command, "00", "99");
}

bool drv_urg_end(struct drv_urg *u)
{
    return measure_tell(u, "QT", "00", "02");
}
