/* SPDX-License-Identifier: BSD-3-Clause */
/* connect.h - a socket that is connected to a server */
#ifndef TCP_CONNECT_H
#define TCP_CONNECT_H

#include <ach/message.h>
#include <time.h>

/* A time of monotonic_seconds, or a duration, as a timespec. Also of infinity. */
struct timespec tcp_connect_until(double time);

/* Wait for events of a socket; false: timeout, at @until of monotonic_seconds. */
bool tcp_connect_wait(int fd, short events, double until);

/* "host:port" */
void tcp_connect_name(const ach_place_t *place, char *name, size_t size);

/*
 * An empty host is this machine. Blocks at most until @until, but longer if the name
 * server does not answer. ACH_TIMEOUT, ACH_ENOENT: no such host; ACH_FAILED_SYSCALL.
 */
ach_status_t tcp_connect(const ach_place_t *place, double until, int *fd);

#endif
