/* SPDX-License-Identifier: BSD-3-Clause */
/* reader.h - the messages of a log, one after the other */
#ifndef ACHI_READLOG_READER_H
#define ACHI_READLOG_READER_H

#include <ach/driver.h>
#include <stdio.h>

#include "../log/entry.h"

/* Longer lines are passed over: twice the longest body, and what stands around it. */
#define ACHI_READER_LINE_MAX ((size_t)3u * ACH_BODY_MAX)

struct achi_reader {
    FILE *file;
    char *line;
    size_t size, room;
    unsigned long number; /* of the line, from 1 */
    unsigned wrong;       /* lines so far */
    struct achi_entry entry;
};

/* @trusted: the config file names it, so it may be a link, or a log without a head. */
ach_status_t achi_reader_open(struct achi_reader *r, bool trusted);
void achi_reader_rewind(struct achi_reader *r);
void achi_reader_close(struct achi_reader *r);

/*
 * The next message, the caller's to release; NULL: the end. Lines that are wrong
 * are passed over, and the driver's log has their numbers, as far as there are few.
 */
ach_message_t *achi_reader_next(ach_driver_t *driver, struct achi_reader *r);

#endif
