/* SPDX-License-Identifier: BSD-3-Clause */
/* reader.h - read the messages of a log in sequence */
#ifndef DRV_READLOG_READER_H
#define DRV_READLOG_READER_H

#include <ach/driver.h>
#include <zlib.h>

#include "../log/entry.h"

/* Longer lines are skipped. Room for the longest body in hexadecimal, and the rest of its line. */
#define DRV_READER_LINE_MAX ((size_t)3u * ACH_BODY_MAX)

struct drv_reader {
    gzFile file; /* compressed or not */
    char *line;
    size_t size, room;
    unsigned long number; /* of the line, from 1 */
    unsigned wrong;       /* number of wrong lines so far */
    struct drv_entry entry;
};

/* @trusted: the config file names the log, so it may be a link, or have no head. */
ach_status_t drv_reader_open(struct drv_reader *r, bool trusted);
void drv_reader_rewind(struct drv_reader *r);
void drv_reader_close(struct drv_reader *r);

/*
 * The next message, which the caller releases; NULL: end of the log. Wrong lines are skipped; the
 * numbers of the first of them are logged.
 */
ach_message_t *drv_reader_next(ach_driver_t *driver, struct drv_reader *r);

#endif
