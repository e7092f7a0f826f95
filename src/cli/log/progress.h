/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.h - how much of recordings has been read, on a terminal */
#ifndef REC_PROGRESS_H
#define REC_PROGRESS_H

#include "recordings.h"

struct rec_progress {
    bool shows, drawn;
    int64_t next;        /* when to draw, on CLOCK_MONOTONIC */
    int64_t first, last; /* times of the messages; equal: not known */
    uint64_t messages;
};

/* Shown if standard error is a terminal, and standard output is none. */
void rec_progress_begin(struct rec_progress *p, const struct logs_source *s);
void rec_progress_show(struct rec_progress *p, const struct logs_message *m);

/* Remove the line. */
void rec_progress_end(struct rec_progress *p);

#endif
