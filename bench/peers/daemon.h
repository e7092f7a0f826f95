/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.h - the program that some contenders need beside the ends */
#ifndef PEERS_DAEMON_H
#define PEERS_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Start a program and wait until it says that it is ready, or, if ready is NULL,
 * accepts connections at a port. Its output goes to the file log, and it dies
 * with the calling process. 0: it ended, or was not ready in time.
 */
pid_t daemon_start(const char *const argv[], const char *log, const char *ready, uint16_t port);

/* Are these words in a line of the file? */
bool daemon_says(const char *log, const char *words);

/* A TCP port of the loopback interface that nobody uses now; 0: none. */
uint16_t daemon_port(void);

/* False: it did not end as it should. */
bool daemon_stop(pid_t pid);

#ifdef __cplusplus
}
#endif

#endif
