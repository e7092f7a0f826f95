/* SPDX-License-Identifier: BSD-3-Clause */
/* counter.h - the processor's cycle counter, which shows real time without a system call */
#ifndef SIMP_PRELOAD_COUNTER_H
#define SIMP_PRELOAD_COUNTER_H

#include <signal.h>
#include <stdbool.h>

/* Make reading the counter a fault, in this thread and its children. False: unsupported. */
bool simp_counter_hide(void);

/*
 * Call these around execve and the like: the new program inherits the mode, and its dynamic linker
 * reads the counter. Show returns whether the counter was hidden; pass that to hide_again if the
 * thread continues. Both preserve errno.
 */
bool simp_counter_show(void);
void simp_counter_hide_again(bool was_hidden);

/* Evaluate a call that starts a program, with the counter readable meanwhile. */
#define SIMP_COUNTER_SHOWN(call)                                                                   \
    __extension__({                                                                                \
        bool achi_was_hidden = simp_counter_show();                                                \
        __typeof__(call) achi_started = (call);                                                    \
                                                                                                   \
        simp_counter_hide_again(achi_was_hidden);                                                  \
        achi_started;                                                                              \
    })

/* sigaction(2) of SIGSEGV as the program sees it; the library's own handler stays installed. */
int simp_counter_action(const struct sigaction *action, struct sigaction *old);

#endif
