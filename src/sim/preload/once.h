/* SPDX-License-Identifier: BSD-3-Clause */
/* once.h - a one-shot notification between two threads or processes, in real time */
#ifndef SIMP_PRELOAD_ONCE_H
#define SIMP_PRELOAD_ONCE_H

#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

#include "preload.h"

struct simp_once {
    uint32_t word;
};

static inline void simp_once_set(struct simp_once *t)
{
    __atomic_store_n(&t->word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &t->word, FUTEX_WAKE, 1, (void *)NULL, (void *)NULL, 0);
}

/* Returns at most about a second after the process pid has ended. pid 0: wait for ever. */
static inline void simp_once_await(struct simp_once *t, pid_t pid)
{
    const struct timespec slice = {.tv_sec = 1};
    siginfo_t info = {0};

    while (!__atomic_load_n(&t->word, __ATOMIC_ACQUIRE)) {
        long r = syscall(SYS_futex, &t->word, FUTEX_WAIT, 0, &slice, (void *)NULL, 0);

        if (r != 0 && pid &&
            syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT, (void *)NULL) ==
                0 &&
            info.si_pid == pid)
            return;
    }
}

#endif
