/* SPDX-License-Identifier: BSD-3-Clause */
/* whole_file.h - write a file so that nobody ever sees half of it */
#ifndef BENCH_WHOLE_FILE_H
#define BENCH_WHOLE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct whole_file {
    FILE *f;
    const char *path;
    char draft[PATH_MAX]; /* takes the path's place at the end; "": written directly */
};

/*
 * Begin. What is at the path and is no plain file, such as a device or a link,
 * is written to and not replaced. False with errno.
 */
bool whole_file_open(struct whole_file *w, const char *path);

/* Finish: false with errno, and no change to a plain file, if anything failed. */
bool whole_file_close(struct whole_file *w);

/* Give up. */
void whole_file_drop(struct whole_file *w);

#endif
