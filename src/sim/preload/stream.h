/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - pipes, sockets and the like: readers and writers wait in virtual time */
#ifndef SIMP_PRELOAD_STREAM_H
#define SIMP_PRELOAD_STREAM_H

#include "files.h"

/* read(2) and write(2) of a descriptor that is no timerfd and no eventfd. */
ssize_t simp_stream_read(int fd, void *buf, size_t size);
ssize_t simp_stream_write(int fd, const void *buf, size_t size);

#endif
