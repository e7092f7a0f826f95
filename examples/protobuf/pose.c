/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pose.c - protobuf-c without a copy of ours
 *
 * pose put X Y HEADING   serialises straight into a reservation in the channel "pose"
 * pose get               parses straight from a view of the newest message
 *
 * The channel has a single writer, so the reservation is the channel's own
 * memory. What is parsed from a view counts only after ach_view_check.
 */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pose.pb-c.h"

#define CHANNEL "pose"

static int fail(const char *what)
{
    fprintf(stderr, "pose: %s\n", what);
    return 1;
}

static int put(double x, double y, double heading)
{
    Pose pose = POSE__INIT;
    ach_create_attr_t create;
    ach_attr_t attr;
    ach_channel_t chan;
    ach_status_t r;
    void *room;
    size_t size;

    ach_create_attr_init(&create);
    ach_create_attr_set_single_writer(&create, 1);
    r = ach_create(CHANNEL, 8, 256, &create);
    if (r != ACH_OK && r != ACH_EEXIST)
        return fail(ach_errstr());
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    if (ach_open(&chan, CHANNEL, &attr) != ACH_OK)
        return fail(ach_errstr());

    pose.x = x;
    pose.y = y;
    pose.heading = heading;
    pose.frame = "map";
    size = pose__get_packed_size(&pose);
    r = ach_reserve(&chan, size, &room);
    if (r == ACH_OK)
        r = ach_commit(&chan, pose__pack(&pose, room));
    ach_close(&chan);
    return r == ACH_OK ? 0 : fail(ach_result_to_string(r));
}

static int get(void)
{
    const struct timespec limit = {.tv_sec = 2};
    ach_channel_t chan;
    ach_status_t r;
    const void *bytes;
    size_t size;
    Pose *pose;

    if (ach_open(&chan, CHANNEL, NULL) != ACH_OK)
        return fail(ach_errstr());
    do {
        r = ach_view(&chan, &bytes, &size, &limit, ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME);
        if (!ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME))
            return fail(ach_result_to_string(r));
        pose = pose__unpack(NULL, size, bytes);
        r = ach_view_check(&chan);
        if (r != ACH_OK && pose)
            pose__free_unpacked(pose, NULL); /* a writer came between: parse the next one */
    } while (r == ACH_EAGAIN);
    ach_close(&chan);
    if (!pose)
        return fail("the message is no pose");
    printf("%g %g %g in %s\n", pose->x, pose->y, pose->heading, pose->frame);
    pose__free_unpacked(pose, NULL);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "put") == 0)
        return put(atof(argv[2]), atof(argv[3]), atof(argv[4]));
    if (argc == 2 && strcmp(argv[1], "get") == 0)
        return get();
    fprintf(stderr, "usage: pose put X Y HEADING | pose get\n");
    return 2;
}
