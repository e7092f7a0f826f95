/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - pipes, sockets and the like: who reads or writes them waits in virtual time */
#ifndef ACHI_PRELOAD_STREAM_H
#define ACHI_PRELOAD_STREAM_H

#include "files.h"

/*
 * Before a call that reads or writes (POLLIN, POLLOUT) the descriptor: it is the caller's turn,
 * and the call would not block. False with errno: it would, until the socket's timeout, or a
 * signal handler ended the wait.
 */
bool achi_stream_ready(int fd, short events, bool dont_wait);

/* After a call that may have changed what others wait for. */
void achi_stream_moved(int fd);

/* read(2) and write(2) of a descriptor that is no timer and no bell. */
ssize_t achi_stream_read(int fd, void *buf, size_t size);
ssize_t achi_stream_write(int fd, const void *buf, size_t size);

#endif
