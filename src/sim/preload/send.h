/* SPDX-License-Identifier: BSD-3-Clause */
/* send.h - signals that a process of the simulation sends */
#ifndef ACHI_PRELOAD_SEND_H
#define ACHI_PRELOAD_SEND_H

#include <pthread.h>
#include <signal.h>

#include "preload.h"

/* A signal, and who it is for. */
struct achi_sent {
    pid_t pid; /* as for kill(2) */
    pid_t tid; /* a thread of the process; 0: any */
    int signo;
    siginfo_t *info; /* NULL: as kill(2) and tgkill(2) have it */
    bool pidfd;      /* to the process that fd stands for instead of pid */
    int fd;
    unsigned flags;
};

/* At this thread's time. A negative errno if it failed. */
long achi_send(const struct achi_sent *s);
long achi_tkill(pid_t tid, int signo);

/* The id of a thread of this process; 0: it is not known. */
pid_t achi_thread_id(pthread_t thread);

#endif
