/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - what the writers' lock must know of the calling thread
 */
#ifndef ACHI_THREAD_H
#define ACHI_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct achi_thread {
    uint32_t tid;                /* 0: not asked yet */
    intptr_t futex_offset;       /* of the thread's robust list */
    volatile uintptr_t *pending; /* its "being locked or unlocked" slot */
    uintptr_t no_slot;           /* stands in for a system without robust lists */
    uint64_t pidns;
    int32_t pid;
};

/* Initial-exec: one instruction to reach, and safe whenever the library is loaded. */
extern __thread struct achi_thread achi_thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Zero in a new child, however it was made: the kernel wipes it. */
struct achi_process {
    uint32_t known;   /* the calling thread was asked after the last fork */
    uint32_t cancels; /* calls of ach_cancel under way: ach_close waits for them */
};

extern struct achi_process *achi_process __attribute__((visibility("hidden")));

void achi_thread_ask(void);

static inline struct achi_thread *achi_thread(void)
{
    if (__builtin_expect(achi_thread_self.tid == 0 ||
                             __atomic_load_n(&achi_process->known, __ATOMIC_RELAXED) == 0,
                         0))
        achi_thread_ask();
    return &achi_thread_self;
}

/* Was the calling thread asked, and is it of this PID namespace? */
static inline bool achi_thread_known(uint64_t pidns)
{
    return __atomic_load_n(&achi_process->known, __ATOMIC_RELAXED) != 0 &&
           achi_thread_self.pidns == pidns;
}

/* The calling process's PID namespace, or 0 if /proc does not tell. */
uint64_t achi_pid_namespace(void);

#endif
