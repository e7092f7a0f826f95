/* SPDX-License-Identifier: BSD-3-Clause */
/* queued.h - the number of threads that sleep on a futex word, counted by the kernel */
#ifndef QUEUED_H
#define QUEUED_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

#define LIMIT_MS 60000

#define EVENTUALLY(cond)                                                                           \
    do {                                                                                           \
        long waited_;                                                                              \
        for (waited_ = 0; !(cond) && waited_ < LIMIT_MS; waited_++)                                \
            check_sleep_ms(1);                                                                     \
        CHECK(waited_ < LIMIT_MS);                                                                 \
    } while (0)

/* A requeue from the word to itself returns the number of sleepers, and wakes none. */
static inline long sleepers_on(const uint32_t *word)
{
    return syscall(SYS_futex, word, FUTEX_REQUEUE, 0, (void *)(uintptr_t)INT_MAX, word, 0);
}

static inline bool have_waitv(void)
{
    return syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) == 0 || errno != ENOSYS;
}

#endif
