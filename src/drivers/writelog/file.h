/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file.h - a file that lines are appended to
 *
 * A line is passed to the kernel at once, without buffering: so written lines survive if the
 * process is killed. A partly written line is truncated, so that the file ends with a whole line.
 * If the name ends in .gz, the file is compressed. A line that cannot be written is then kept, and
 * written before any later line, which can be decompressed only after it.
 */
#ifndef DRV_WRITELOG_FILE_H
#define DRV_WRITELOG_FILE_H

#include <ach/driver.h>

#include "../log/entry.h"
#include "pack.h"

struct drv_logfile {
    int fd;                /* -1: not open */
    struct drv_pack *pack; /* NULL: not compressed */
    bool failing;          /* the last line could not be written */
    uint64_t lost;         /* lines lost since failing was set */
    double sync;           /* s between syncs to the disk; 0: never sync explicitly */
    double synced;         /* time of the last sync */
    struct drv_entry entry;
};

/* Is a log of this name compressed? Then the name ends in .gz. */
bool drv_logfile_compressed(const char *name);

/* An existing log of that name is renamed to name~. ACH_EEXIST: see drv_entry_create_log. */
ach_status_t drv_logfile_open(ach_driver_t *driver, struct drv_logfile *f);
void drv_logfile_close(ach_driver_t *driver, struct drv_logfile *f);

/* Append lines. Lines that cannot be written are counted; the first failure is logged. */
void drv_logfile_append(ach_driver_t *driver, struct drv_logfile *f, const char *lines,
                        size_t size);

#endif
