/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c - commands that begin and end to measure, and what their numbers mean */
#include <math.h>
#include <string.h>

#include "urg.h"

#define ANSWER 1.0 /* s for an answer */
#define TRIES 3    /* for an answer that was damaged */

double achi_urg_step_angle(const struct achi_urg_model *m)
{
    return 2 * M_PI / m->steps;
}

double achi_urg_angle(const struct achi_urg_model *m, unsigned step)
{
    return ((double)step - (double)m->front) * achi_urg_step_angle(m);
}

unsigned achi_urg_count(const struct achi_urg_measure *m)
{
    return (m->last - m->first) / m->cluster + 1;
}

double achi_urg_frequency(const struct achi_urg *u)
{
    return u->model.rpm / 60.0 / (u->measure.skip + 1);
}

static unsigned nearest_step(const struct achi_urg_model *m, double angle)
{
    double step = round(angle / achi_urg_step_angle(m)) + m->front;

    return step < m->first ? m->first : step > m->last ? m->last : (unsigned)step;
}

bool achi_urg_measure_for(const struct achi_urg_model *m, double min_angle, double max_angle,
                          unsigned cluster, unsigned skip, struct achi_urg_measure *measure)
{
    if (!isfinite(min_angle) || !isfinite(max_angle) || min_angle > max_angle || cluster < 1 ||
        cluster > 99 || skip > 9 || min_angle > achi_urg_angle(m, m->last) ||
        max_angle < achi_urg_angle(m, m->first))
        return false;
    *measure = (struct achi_urg_measure){.first = nearest_step(m, min_angle),
                                         .last = nearest_step(m, max_angle),
                                         .cluster = cluster,
                                         .skip = skip};
    return true;
}

/* MD and GD have three characters for each range, MS and GS two. */
static void scan_command(const struct achi_urg *u, char *command, size_t size)
{
    const struct achi_urg_measure *m = &u->measure;
    char how = u->chars == 3 ? 'D' : 'S';

    if (u->polled)
        snprintf(command, size, "G%c%04u%04u%02u", how, m->first, m->last, m->cluster);
    else
        snprintf(command, size, "M%c%04u%04u%02u%u00", how, m->first, m->last, m->cluster, m->skip);
}

/* The last two digits of MD count scans that are left. */
bool achi_urg_is_scan(const struct achi_urg *u, const struct achi_scip_text *command)
{
    char mine[32];
    size_t n;

    scan_command(u, mine, sizeof(mine));
    n = strlen(mine);
    return command->size == n && memcmp(command->at, mine, u->polled ? n : n - 2) == 0;
}

/* Whether it took a command: with this status, or that one. */
static bool tell(struct achi_urg *u, const char *command, const char *good, const char *too)
{
    struct achi_scip_answer answer;
    int i;

    for (i = 0; i < TRIES; i++)
        switch (achi_urg_port_ask(&u->port, command, ANSWER, &answer)) {
        case ACHI_URG_BLOCK:
            return strcmp(answer.status, good) == 0 || strcmp(answer.status, too) == 0;
        case ACHI_URG_NOTHING:
            break;
        case ACHI_URG_LOST:
            return false;
        }
    return false;
}

bool achi_urg_poll(struct achi_urg *u)
{
    char command[32];

    scan_command(u, command, sizeof(command));
    return achi_urg_port_send(&u->port, command);
}

/* 02: the laser is on already. */
bool achi_urg_begin(struct achi_urg *u)
{
    char command[32];

    scan_command(u, command, sizeof(command));
    u->heard = achi_urg_clock();
    if (!tell(u, "QT", "00", "02") || !tell(u, "BM", "00", "02"))
        return false;
    return u->polled ? achi_urg_poll(u) : tell(u, command, "00", "99");
}

bool achi_urg_end(struct achi_urg *u)
{
    return tell(u, "QT", "00", "02");
}
