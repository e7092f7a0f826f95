/* SPDX-License-Identifier: BSD-3-Clause */
/* dirwatch.h - sleep until a file appears in the directory of a channel */
#ifndef DIRWATCH_H
#define DIRWATCH_H

#include <stdint.h>

struct dirwatch {
    int fd; /* of inotify; negative: not available, poll instead */
};

void dirwatch_init(struct dirwatch *a, const char *channel);

/* Sleep until a file appears, a signal arrives, or the time is up. May return early. */
void dirwatch_wait(const struct dirwatch *a, uint64_t ns);

void dirwatch_finish(struct dirwatch *a);

#endif
