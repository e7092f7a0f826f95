/* SPDX-License-Identifier: BSD-3-Clause */
/* peers.h - is the other end of a pipe or socket in the simulation, too? */
#ifndef SIMP_PRELOAD_PEERS_H
#define SIMP_PRELOAD_PEERS_H

#include "preload.h"

/* Was the descriptor created by pipe() or socketpair() in a process of the simulation? */
bool simp_peers_marked(int fd);

/* Is the socket listening, or connected to a process of the simulation? */
bool simp_peers_socket(int fd);

/* Read the file /proc/PID/what. False: it cannot be read, and the text is empty. */
bool simp_peers_read(pid_t pid, const char *what, char *text, size_t size);

#define SIMP_PEERS_STATUS 4096 /* bytes of /proc/PID/status that are read */

/* A set of signals, from its line in /proc/PID/status; name: such as "\nSigBlk:". */
uint64_t simp_peers_signals(const char *status, const char *name);

/* A process's parent and process group. 0: unknown. */
struct simp_peers_kin {
    pid_t parent, group;
};
struct simp_peers_kin simp_peers_kin(pid_t pid);

/* Is it a process of the simulation, other than its coordinator? */
bool simp_peers_process(pid_t pid);

#endif
