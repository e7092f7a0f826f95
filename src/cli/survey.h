/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * survey.h - all channels, looked at again and again
 *
 * The survey keeps read-only handles to the channels it has seen. Each look
 * finds the ones that came, lets go of those that went, and compares the
 * others with the look before.
 */
#ifndef SURVEY_H
#define SURVEY_H

#include <ach.h>
#include <stdbool.h>

#include "describe.h"

struct surveyed {
    char name[ACH_CHAN_NAME_MAX];
    enum ach_map map;
    bool listed;
    bool open;
    bool has_file;          /* of info, the file's permissions, owner and number are known */
    enum ach_status status; /* why it is not open, or ACH_OK */
    char trouble[256];      /* the same as a sentence */
    ach_channel_t chan;
    ach_info_t info;
    uint64_t looked_ns; /* CLOCK_MONOTONIC */
    double rate;        /* messages per second between the last looks; negative: unknown */
    uint64_t lost;      /* messages that came and were overwritten between looks */
    struct newest newest;
    double newest_age; /* seconds since it was put; negative: unknown */
};

struct survey {
    char **patterns; /* which names, as for fnmatch(3); none: all */
    size_t npatterns;
    struct surveyed **items; /* in the order of names */
    size_t n;
};

/* Look at all channels. False, after complaining: the directory cannot be listed. */
bool survey_look(struct survey *s);

void survey_finish(struct survey *s);

#endif
