/* SPDX-License-Identifier: BSD-3-Clause */
/* urg.h - one scanner: its model, its measuring parameters, and the driver's state */
#ifndef DRV_URG_H
#define DRV_URG_H

#include <ach.h>
#include <ach/driver.h>
#include <ach/interface/laser.h>

#include "port.h"

/* Parameters that the scanner reports. */
struct drv_urg_model {
    unsigned min_mm, max_mm;     /* valid ranges; values outside are error codes */
    unsigned steps;              /* in a full turn */
    unsigned first, last, front; /* first and last measured step; the step straight ahead */
    unsigned rpm;
    uint32_t serial;
};

/* Requested measurement. */
struct drv_urg_measure {
    unsigned first, last; /* steps */
    unsigned cluster;     /* number of steps merged into one range, their smallest */
    unsigned skip;        /* number of scans skipped between two that are sent */
};

struct drv_urg {
    ach_driver_t *driver;
    ach_address_t address;
    const char *path; /* of the serial device; owned by the config file */
    unsigned speed;   /* of the serial line */
    unsigned chars;   /* characters of a range: 2 or 3 */
    bool polled;      /* request each scan */
    double timeout;   /* s without a scan until the scanner counts as silent */
    double min_angle, max_angle;
    unsigned cluster, skip;
    ach_laser_geom_t geom;

    struct drv_urg_port port;
    struct drv_urg_model model;
    struct drv_urg_measure measure;
    bool power;      /* scans are wanted */
    double heard;    /* time of the last scan, or of the last request for one */
    double tried;    /* time of the last attempt to open the port */
    unsigned silent; /* timeouts in a row: measuring was started again after each */
    uint64_t scans, damaged;
    struct drv_scip_scan scan;
    float ranges[DRV_SCIP_STEPS_MAX];
};

/* Open the port and read the scanner's model. On errors see ach_errstr. */
ach_status_t drv_urg_connect(struct drv_urg *u);

/* Switch the laser on and start measuring, or switch it off. False: no answer, or refused. */
bool drv_urg_begin(struct drv_urg *u);
bool drv_urg_end(struct drv_urg *u);

/* Request the next scan, if polled; else the scanner sends scans by itself. */
bool drv_urg_poll(struct drv_urg *u);

/* Is it the repeated command of a scan? */
bool drv_urg_is_scan(const struct drv_urg *u, const struct drv_scip_text *command);

/* Convert angles to the nearest steps of the scanner. False: out of its range. */
bool drv_urg_measure_for(const struct drv_urg_model *m, double min_angle, double max_angle,
                         unsigned cluster, unsigned skip, struct drv_urg_measure *measure);
double drv_urg_step_angle(const struct drv_urg_model *m); /* rad of a step */
double drv_urg_angle(const struct drv_urg_model *m, unsigned step);
unsigned drv_urg_count(const struct drv_urg_measure *m); /* ranges of a scan */
double drv_urg_frequency(const struct drv_urg *u);       /* Hz of scans */

/* Publish the received scan. */
void drv_urg_publish(struct drv_urg *u);

/* A message to the driver. */
ach_status_t drv_urg_process(ach_driver_t *driver, void *state, const ach_message_t *message);

#endif
