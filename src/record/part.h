/* SPDX-License-Identifier: BSD-3-Clause */
/* part.h - the files of a recording that is split */
#ifndef RECORD_PART_H
#define RECORD_PART_H

#include <stdbool.h>

struct record_settings;

/* Is the recording split? */
bool record_splits(const struct record_settings *options);

/* The name of a part: drive.mcap becomes drive_0001.mcap. The caller frees it. NULL: no memory. */
char *record_part(const char *whole, unsigned part);

/* The path of the recording's file of this number, from 1. The caller frees it. NULL: no memory. */
char *record_path(const struct record_settings *options, unsigned file);

/* Is there a FIFO of this name? */
bool record_is_fifo(const char *path);

/* A part that exists. The caller frees it. NULL: none. */
char *record_part_there(const char *whole);

#endif
