/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * survey.h - sample the state of all channels periodically
 *
 * The survey keeps read-only handles to the channels it has seen. Each survey_look
 * opens new channels, closes removed ones, and compares the others with the
 * previous look.
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
    bool has_file;          /* info.mode, uid, gid and inode are known though it is not open */
    enum ach_status status; /* why it is not open, or ACH_OK */
    char trouble[256];      /* the same as a sentence */
    ach_channel_t chan;
    ach_info_t info;
    uint64_t looked_ns; /* CLOCK_MONOTONIC */
    double rate;        /* messages per second between the last looks; negative: unknown */
    uint64_t lost;      /* messages put and overwritten between two looks, since the opening */
    struct newest newest;
    double newest_age; /* seconds since it was put; negative: unknown */
};

struct survey {
    char **patterns; /* of names, for fnmatch(3); none: all */
    size_t npatterns;
    struct surveyed **items; /* sorted by name */
    size_t n;
};

/* Does the name match a pattern? */
bool survey_matches(const struct survey *s, const char *name);

/* Look at all channels. False: the directory cannot be listed, see ach_errstr. */
bool survey_look(struct survey *s);

/* The open channel of this name; NULL: there is none. */
const struct surveyed *survey_named(const struct survey *s, const char *name);

void survey_finish(struct survey *s);

#endif
