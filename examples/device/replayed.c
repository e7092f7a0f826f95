/* SPDX-License-Identifier: BSD-3-Clause */
#include "replayed.h"

#include <ach.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 30.0 /* s without an answer: something is wrong */
#define QUIET 2.0     /* s without data after the end: all is there */

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "picture: no memory\n");
        exit(1);
    }
    return memory;
}

static void must(ach_status_t status, const char *what)
{
    if (status == ACH_OK || status == ACH_MISSED_FRAME)
        return;
    fprintf(stderr, "picture: %s: %s: %s\n", what, ach_result_to_string(status), ach_errstr());
    exit(1);
}

static ach_device_t *device(const char *where, const char *name)
{
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = PATIENCE};
    char address[256];
    ach_device_t *d = NULL;

    snprintf(address, sizeof(address), "%s:%s", where, name);
    must(ach_device_open(address, &attr, &d), address);
    return d;
}

static const void *body_of(ach_message_t *answer, const char *what)
{
    const void *body = ach_message_body(answer);

    if (!body) {
        fprintf(stderr, "picture: %s: an empty answer\n", what);
        exit(1);
    }
    return body;
}

static void get_map(struct replayed *r, const char *where)
{
    ach_device_t *map = device(where, "map:0");
    const ach_map_data_t *tile;
    ach_map_data_t ask;
    ach_message_t *answer;

    must(ach_map_ask_get_info(map, NULL, PATIENCE, &answer), "the map's size");
    r->info = *(const ach_map_info_t *)body_of(answer, "the map's size");
    ach_message_unref(answer);
    ask = (ach_map_data_t){.width = r->info.width, .height = r->info.height};
    must(ach_map_ask_get_data(map, &ask, PATIENCE, &answer), "the map");
    tile = body_of(answer, "the map");
    if (tile->data_count != (uint64_t)r->info.width * r->info.height) {
        fprintf(stderr, "picture: the map has %u cells\n", tile->data_count);
        exit(1);
    }
    r->cells = need(malloc(tile->data_count + 1));
    memcpy(r->cells, tile->data, tile->data_count);
    ach_message_unref(answer);
    ach_device_close(map);
}

static void keep_position(struct replayed *r, double time, const ach_pose2d_t *pose)
{
    if ((r->count & (r->count - 1)) == 0)
        r->path = need(realloc(r->path, (r->count ? 2 * r->count : 1) * sizeof(*r->path)));
    r->path[r->count++] = (struct position){time, *pose};
}

static void keep_scan(struct replayed *r, double time, const ach_laser_data_t *scan)
{
    uint32_t i;

    r->scan = *scan;
    r->scan_time = time;
    r->ranges = need(realloc(r->ranges, (scan->ranges_count + 1) * sizeof(*r->ranges)));
    for (i = 0; i < scan->ranges_count; i++)
        r->ranges[i] = scan->ranges[i];
}

static void newest_scan(struct replayed *r, ach_device_t *laser)
{
    const ach_laser_data_t *scan;
    ach_message_t *m;
    ach_status_t status = ach_laser_get_scan(laser, 0, ACH_O_LAST, &m, &scan);

    if (status == ACH_OK || status == ACH_MISSED_FRAME) {
        keep_scan(r, ach_message_header(m)->timestamp, scan);
        ach_message_unref(m);
    }
}

static ach_status_t next_position(struct replayed *r, ach_device_t *robot)
{
    const ach_position2d_data_t *p;
    ach_message_t *m;
    ach_status_t status = ach_position2d_get_state(robot, QUIET, ACH_O_WAIT, &m, &p);

    if (status == ACH_OK || status == ACH_MISSED_FRAME) {
        keep_position(r, ach_message_header(m)->timestamp, &p->pos);
        ach_message_unref(m);
    }
    return status;
}

static bool playing(ach_device_t *log)
{
    ach_message_t *answer;
    bool on;

    must(ach_log_ask_get_state(log, NULL, PATIENCE, &answer), "the log's state");
    on = ((const ach_log_get_state_t *)body_of(answer, "the log's state"))->state;
    ach_message_unref(answer);
    return on;
}

static void get_laser_pose(struct replayed *r, ach_device_t *laser)
{
    const ach_laser_geom_t *geom;
    ach_message_t *answer;

    must(ach_laser_ask_get_geom(laser, NULL, PATIENCE, &answer), "where the laser is");
    geom = body_of(answer, "where the laser is");
    r->laser = (ach_pose2d_t){geom->pose.px, geom->pose.py, geom->pose.pyaw};
    ach_message_unref(answer);
}

void replayed_get(struct replayed *r, const char *where)
{
    ach_device_t *robot = device(where, "position2d:0"), *laser = device(where, "laser:0");
    ach_device_t *log = device(where, "log:0");
    ach_log_set_read_state_t play = {.state = 1};
    ach_status_t status;

    *r = (struct replayed){0};
    get_map(r, where);
    get_laser_pose(r, laser);
    must(ach_log_ask_set_read_state(log, &play, PATIENCE, NULL), "playing the log");
    do {
        newest_scan(r, laser);
        status = next_position(r, robot);
    } while (status != ACH_TIMEOUT || playing(log));
    newest_scan(r, laser); /* one may have come after the last position */
    r->lost = ach_device_lost(robot);
    ach_device_close(log);
    ach_device_close(laser);
    ach_device_close(robot);
}

void replayed_finish(struct replayed *r)
{
    free(r->cells);
    free(r->path);
    free(r->ranges);
}

ach_pose2d_t replayed_pose(const struct replayed *r, double time)
{
    size_t i, best = 0;

    for (i = 1; i < r->count; i++)
        if (fabs(r->path[i].time - time) < fabs(r->path[best].time - time))
            best = i;
    return r->count ? r->path[best].pose : (ach_pose2d_t){0};
}
