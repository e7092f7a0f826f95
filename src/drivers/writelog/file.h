/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file.h - a file that lines are appended to
 *
 * A line is handed to the system as a whole, at once: what was written stays,
 * whichever process is killed. A line that does not fit is taken back, so that
 * the file always ends with a whole one.
 */
#ifndef ACHI_WRITELOG_FILE_H
#define ACHI_WRITELOG_FILE_H

#include <ach/driver.h>

#include "../log/entry.h"

struct achi_logfile {
    int fd;        /* -1: not open */
    bool failing;  /* the last line could not be written */
    uint64_t lost; /* since it is failing */
    double sync;   /* s between syncs to the disk; 0: the system decides */
    double synced; /* when */
    struct achi_entry entry;
};

/* A log of that name is kept, with a ~ behind its name; ACH_EEXIST: see achi_entry_create_log. */
ach_status_t achi_logfile_open(ach_driver_t *driver, struct achi_logfile *f);
void achi_logfile_close(ach_driver_t *driver, struct achi_logfile *f);

/* Append lines. What cannot be written is counted, and the log says so, once. */
void achi_logfile_append(ach_driver_t *driver, struct achi_logfile *f, const char *lines,
                         size_t size);

#endif
