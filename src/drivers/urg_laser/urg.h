/* SPDX-License-Identifier: BSD-3-Clause */
/* urg.h - one scanner: what it is, and how it is to measure */
#ifndef ACHI_URG_H
#define ACHI_URG_H

#include <ach.h>
#include <ach/driver.h>
#include <ach/interface/laser.h>

#include "port.h"

/* What the scanner says of itself. */
struct achi_urg_model {
    unsigned min_mm, max_mm;     /* of ranges; others are errors */
    unsigned steps;              /* of a whole turn */
    unsigned first, last, front; /* steps that it measures; the one ahead */
    unsigned rpm;
    uint32_t serial;
};

/* How it is to measure. */
struct achi_urg_measure {
    unsigned first, last; /* steps */
    unsigned cluster;     /* so many steps become one range, the smallest */
    unsigned skip;        /* scans that are left out between two */
};

struct achi_urg {
    ach_driver_t *driver;
    ach_address_t address;
    const char *path; /* the config file's */
    unsigned speed;   /* of the line */
    unsigned chars;   /* of a range: 2 or 3 */
    bool polled;      /* ask for each scan */
    double timeout;   /* s without a scan: something is wrong */
    double min_angle, max_angle;
    unsigned cluster, skip;
    ach_laser_geom_t geom;

    struct achi_urg_port port;
    struct achi_urg_model model;
    struct achi_urg_measure measure;
    bool power;      /* somebody wants scans */
    double heard;    /* when a scan came, or was asked for */
    double tried;    /* when it was tried to open the port */
    unsigned silent; /* times that it had to be reminded */
    uint64_t scans, damaged;
    struct achi_scip_scan scan;
    float ranges[ACHI_SCIP_STEPS_MAX];
};

/* Open the port and learn what is there. ach_errstr says what is wrong. */
ach_status_t achi_urg_connect(struct achi_urg *u);

/* Laser on and measure, or laser off. False: it does not answer, or refuses. */
bool achi_urg_begin(struct achi_urg *u);
bool achi_urg_end(struct achi_urg *u);

/* Ask for the next scan, if the scanner is not to send them by itself. */
bool achi_urg_poll(struct achi_urg *u);

/* Whether this repeats the command for scans. */
bool achi_urg_is_scan(const struct achi_urg *u, const struct achi_scip_text *command);

/* Steps for angles, as near as the scanner can. False: it cannot. */
bool achi_urg_measure_for(const struct achi_urg_model *m, double min_angle, double max_angle,
                          unsigned cluster, unsigned skip, struct achi_urg_measure *measure);
double achi_urg_step_angle(const struct achi_urg_model *m); /* rad of a step */
double achi_urg_angle(const struct achi_urg_model *m, unsigned step);
unsigned achi_urg_count(const struct achi_urg_measure *m); /* ranges of a scan */
double achi_urg_frequency(const struct achi_urg *u);       /* Hz of scans */

/* Publish a scan that came. */
void achi_urg_publish(struct achi_urg *u);

/* A message to the driver. */
ach_status_t achi_urg_process(ach_driver_t *driver, void *state, const ach_message_t *message);

#endif
