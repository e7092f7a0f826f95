/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.h - an output with a file for each topic, or one file for one topic
 *
 * A path that ends with a slash is a new directory. It is written under a temporary name, as a file is.
 */
#ifndef REC_FILES_H
#define REC_FILES_H

#include "output.h"
#include "recordings.h"

/* Begin with all members 0 and those of the first line set. */
struct rec_files {
    const char *path, *suffix; /* of files in the directory */
    bool force;
    struct rec_output output; /* of one file */
    const struct logs_topic *only;
    char *directory, *temporary; /* of many files */
};

/* False after complaining. */
bool rec_files_begin(struct rec_files *f);

/* A descriptor for a topic, which the caller closes. Negative after complaining. */
int rec_files_open(struct rec_files *f, const struct logs_topic *t);

/* ok: give them their names, otherwise remove them. False after complaining, or if not ok. */
bool rec_files_end(struct rec_files *f, bool ok);

#endif
