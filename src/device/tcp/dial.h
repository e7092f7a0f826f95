/* SPDX-License-Identifier: BSD-3-Clause */
/* dial.h - a socket that is connected to a server */
#ifndef ACHI_DIAL_H
#define ACHI_DIAL_H

#include <ach/message.h>
#include <time.h>

double achi_dial_now(void);

/* A point of that clock, as a timespec. */
struct timespec achi_dial_until(double time);

/* Wait for a socket; false: not before that time. */
bool achi_dial_wait(int fd, short events, double until);

/* "host:port" */
void achi_dial_name(const ach_place_t *place, char *name, size_t size);

/*
 * A host of no name is this machine. Blocks until then, and longer if the name's
 * server does not answer. ACH_TIMEOUT, ACH_ENOENT: no such host; ACH_FAILED_SYSCALL.
 */
ach_status_t achi_dial(const ach_place_t *place, double until, int *fd);

#endif
