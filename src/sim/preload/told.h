/* SPDX-License-Identifier: BSD-3-Clause */
/* told.h - a word that one thread waits for and another one says, once, in real time */
#ifndef ACHI_PRELOAD_TOLD_H
#define ACHI_PRELOAD_TOLD_H

#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

#include "preload.h"

struct achi_told {
    uint32_t word;
};

static inline void achi_told_set(struct achi_told *t)
{
    __atomic_store_n(&t->word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &t->word, FUTEX_WAKE, 1, (void *)NULL, (void *)NULL, 0);
}

/* Gives up a second after the process has ended; 0: never. */
static inline void achi_told_await(struct achi_told *t, pid_t pid)
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
