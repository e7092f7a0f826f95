/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.h - a file that is there wholly or not at all
 *
 * It is written under a temporary name in its directory, and gets its own name at the end. It
 * replaces an existing file only if that is asked for.
 */
#ifndef REC_OUTPUT_H
#define REC_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Begin with all members 0 and the first two set. */
struct rec_output {
    const char *path; /* "-": standard output */
    bool force;       /* replace an existing file */
    char *temporary;
    int fd;
    bool open;
};

/* False after complaining. */
bool rec_output_begin(struct rec_output *o);

/* ok: give it its name, otherwise remove it. False after complaining, or if not ok. */
bool rec_output_end(struct rec_output *o, bool ok);

#endif
