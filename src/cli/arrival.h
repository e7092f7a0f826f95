/* SPDX-License-Identifier: BSD-3-Clause */
/* arrival.h - sleep until something appears where a channel would be */
#ifndef ARRIVAL_H
#define ARRIVAL_H

#include <stdint.h>

struct arrival {
    int fd; /* of inotify; negative: without it, look from time to time */
};

void arrival_init(struct arrival *a, const char *channel);

/* Sleep until something appears, a signal comes, or the time is up. */
void arrival_wait(const struct arrival *a, uint64_t ns);

void arrival_finish(struct arrival *a);

#endif
