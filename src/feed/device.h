/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.h - what is in a channel of a device, as messages of ROS
 *
 * The messages of a device's channel are a header and a body in XDR; see docs/devices.md. They are
 * not trusted: any process with permission may have put them.
 */
#ifndef FEED_DEVICE_H
#define FEED_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "cdr.h"
#include "ros.h"

#define FEED_DEVICE_NAME_MAX 64

struct ach_type;
struct ach_message;
struct feed_device;

/* One of a message's outcomes: its bytes are in the cdr. */
struct feed_device_topic {
    const char *suffix;           /* "scan" */
    const struct feed_ros *ros;   /* what it is: a message of ROS, or */
    const struct ach_type *table; /* a struct of an interface */
    bool keep;                    /* hand it to topics that are wanted later */
};

#define FEED_ROBOTS_MAX 16

/* Where the first position2d of each robot is by its odometry. Begin with all members 0. */
struct feed_odometry {
    struct {
        unsigned robot;
        double x, y, angle;
    } robots[FEED_ROBOTS_MAX];
    size_t n;
};

/* Where the outcomes go. */
struct feed_device_sink {
    struct feed_cdr *cdr;
    struct feed_odometry *odometry; /* NULL: of no interest */
    void *context;
    void (*emit)(void *context, const struct feed_device_topic *topic);
};

/* A map of a device as an occupancy grid, row by row. */
struct feed_device_map {
    double stamp;
    float scale;
    unsigned width, height;
    double x, y, angle; /* of the cell (0, 0) */
    signed char *cells;
};

/* NULL: the channel does not hold data or commands of a device, or there is no memory. */
struct feed_device *feed_device_new(const char *channel);
void feed_device_free(struct feed_device *d); /* NULL is accepted */

/* "laser:0", or "7000:laser:0" of another robot than the default one. */
const char *feed_device_name(const struct feed_device *d);

/* "6665:laser:0" */
const char *feed_device_address(const struct feed_device *d);

/* A topic that it has although its channel has no data for it: a map. False: it has none. */
bool feed_device_promise(const struct feed_device *d, struct feed_device_topic *topic);

/* Has it a geometry or a configuration that viewers need? */
bool feed_device_mounted(const struct feed_device *d);

/* The time in the header of a message. False: it has none. */
bool feed_device_stamp(const void *bytes, size_t size, double *stamp);

/* Translate a message. False: it is not one of this device. */
bool feed_device_take(struct feed_device *d, const struct feed_device_sink *sink, const void *bytes,
                      size_t size);

/* Translate the answer to a request for geometry or configuration. */
void feed_device_answer(struct feed_device *d, const struct feed_device_sink *sink,
                        const struct ach_message *answer);

void feed_device_grid(struct feed_device *d, const struct feed_device_sink *sink,
                      const struct feed_device_map *map);

/* The data channel of an address such as "laser:0". False: it is not an address, or of another
 * host. */
bool feed_device_channel(const char *address, char *channel, size_t room);

/* The table of a struct's name, as laser.data; NULL: there is none. */
const struct ach_type *feed_device_table(const char *name);

/* The definition of a struct; free both. False: no memory. */
bool feed_device_definition(const struct ach_type *table, char **name, char **text);

/* The same bytes in CDR, for a type "cdr" whose text is written for ROS 1. False: it is no
 * definition. */
bool feed_device_rewrite(const char *name, const char *text, size_t size, char **rewritten);

/* Translate a body in XDR. False: it is not such a body. */
bool feed_device_body(const struct ach_type *table, const void *bytes, size_t size,
                      struct feed_cdr *cdr);

#endif
