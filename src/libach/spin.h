/* SPDX-License-Identifier: BSD-3-Clause */
/* spin.h - to be awake at the right time */
#ifndef ACHI_SPIN_H
#define ACHI_SPIN_H

#include <sys/prctl.h>

/* Between two looks: the other thread of a processor runs faster. */
static inline void achi_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The kernel may end a sleep of this thread so much too late, by default 50 us. */
static inline unsigned achi_slack_remove(void)
{
    int slack = prctl(PR_GET_TIMERSLACK);

    prctl(PR_SET_TIMERSLACK, 1ul);
    return (unsigned)slack;
}

static inline void achi_slack_restore(unsigned slack)
{
    prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
}

#endif
