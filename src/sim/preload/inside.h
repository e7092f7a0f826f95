/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.h - is the other end of a pipe or socket in the simulation, too? */
#ifndef ACHI_PRELOAD_INSIDE_H
#define ACHI_PRELOAD_INSIDE_H

#include "preload.h"

/* A pipe, or one of a pair of sockets, that a process of the simulation has made. */
bool achi_inside_marked(int fd);

/* A socket that waits for connections, or is connected to a process of the simulation. */
bool achi_inside_socket(int fd);

/* A file in /proc/PID. False: it cannot be read, and the text is empty. */
bool achi_inside_read(pid_t pid, const char *what, char *text, size_t size);

/* A process's parent and group, 0: unknown. */
struct achi_inside_kin {
    pid_t parent, group;
};
struct achi_inside_kin achi_inside_kin(pid_t pid);

/* A process of the simulation, other than its coordinator. */
bool achi_inside_process(pid_t pid);

#endif
