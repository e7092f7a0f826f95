/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - what the writers' lock needs to know of the calling thread
 */
#ifndef ACHI_THREAD_H
#define ACHI_THREAD_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>

#define ACHI_NEVER UINT32_MAX

struct achi_thread {
    uint32_t asked; /* achi_process->life when the fields were filled in; ACHI_NEVER: not yet */
    uint32_t tid;
    intptr_t futex_offset;       /* of the thread's robust list */
    volatile uintptr_t *pending; /* its list_op_pending: the lock being taken, held or released */
    struct robust_list_head own; /* its robust list, if libc registered none */
    uint64_t pidns;              /* 0: unknown */
    uint64_t process; /* pid and life: in a new PID namespace a child may have the same pid */
};

/* Initial-exec: one instruction to reach, and safe whenever the library is loaded. */
extern __thread struct achi_thread achi_thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Zero in a new child, whether by fork or clone: the kernel wipes it (MADV_WIPEONFORK). */
struct achi_process {
    uint32_t life;    /* grows by 1 from parent to child; 0: a new child before achi_thread_ask */
    uint32_t cancels; /* calls of ach_cancel under way: ach_close waits for them */
    uint32_t handles; /* the lock of the list in handle.c */
    uint32_t sources; /* the lock of the list in sources.c */
};

extern struct achi_process *achi_process __attribute__((visibility("hidden")));

void achi_thread_ask(void);

/* Wait until no thread of this process is within ach_cancel. */
void achi_await_cancels(void);

/* Has achi_thread_ask run in this thread, in this process? */
static inline bool achi_thread_known(void)
{
    return achi_thread_self.asked == __atomic_load_n(&achi_process->life, __ATOMIC_RELAXED);
}

static inline struct achi_thread *achi_thread(void)
{
    if (__builtin_expect(!achi_thread_known(), 0))
        achi_thread_ask();
    return &achi_thread_self;
}

#endif
