/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lower.h - lower the flag of a channel's commit word, as a receiver does whose window is open
 *
 * Tests do it at any time, also where no receiver would. False: the kernel cannot do it.
 */
#ifndef TEST_LOWER_H
#define TEST_LOWER_H

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ach.h>

#include "../../src/core/layout.h"

/* Before there are waiters: they shall notice it. */
static inline void lower_begin(const ach_channel_t *chan)
{
    __atomic_store_n(&chan->shm->both_words, ACHI_BOTH_WORDS_KNOWN, __ATOMIC_SEQ_CST);
}

static inline bool lower_flag(const ach_channel_t *chan, bool heap)
{
    uint32_t *commit = &chan->shm->commit;

    return syscall(SYS_futex, commit, FUTEX_WAKE_OP | (heap ? FUTEX_PRIVATE_FLAG : 0), INT_MAX,
                   NULL, commit, FUTEX_OP(FUTEX_OP_ANDN, ACHI_WAITER, FUTEX_OP_CMP_LT, 0)) >= 0;
}

#endif
