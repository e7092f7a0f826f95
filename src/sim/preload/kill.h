/* SPDX-License-Identifier: BSD-3-Clause */
/* kill.h - signals that a process of the simulation sends */
#ifndef SIMP_PRELOAD_KILL_H
#define SIMP_PRELOAD_KILL_H

#include <pthread.h>
#include <signal.h>

#include "preload.h"

/* A signal and its target. */
struct simp_sent {
    pid_t pid; /* as for kill(2) */
    pid_t tid; /* a thread of the process; 0: any */
    int signo;
    siginfo_t *info; /* NULL: as kill(2) and tgkill(2) fill it in */
    bool pidfd;      /* the target is the pidfd fd; pid is not used */
    int fd;
    unsigned flags;
};

/* Send at this thread's virtual time. Returns a negative errno on errors. */
long simp_send(const struct simp_sent *s);
long simp_tkill(pid_t tid, int signo);

/* The kernel's id of a thread of this process. 0: unknown. */
pid_t simp_thread_id(pthread_t thread);

#endif
