/* SPDX-License-Identifier: BSD-3-Clause */
/* convert.h - the formats that recordings are converted to */
#ifndef REC_CONVERT_H
#define REC_CONVERT_H

#include "copy.h"

struct rec_convert {
    struct rec_copy copy; /* where to, and how files of MCAP are written */
    struct rec_pick pick;
};

/* Each returns false after complaining; then there is no new file, unless only a recording was damaged. */
bool rec_to_text(struct rec_convert *c, bool csv);
bool rec_to_channels(struct rec_convert *c);
bool rec_to_devices(struct rec_convert *c);

/* A stream to a file. NULL after complaining; then the descriptor is closed. */
FILE *rec_stream(int fd, const char *path);

#endif
