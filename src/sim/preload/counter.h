/* SPDX-License-Identifier: BSD-3-Clause */
/* counter.h - the processor's counter of cycles, which tells real time without the kernel */
#ifndef ACHI_PRELOAD_COUNTER_H
#define ACHI_PRELOAD_COUNTER_H

#include <signal.h>
#include <stdbool.h>

/* Let the calling thread and all that it starts not read the counter. False: not possible. */
bool achi_counter_hide(void);

/*
 * Around the start of another program by the calling thread: the program inherits the mode, and
 * its dynamic linker reads the counter. Show returns whether the thread could not read it; hide
 * it again with that if the thread goes on. Both keep errno.
 */
bool achi_counter_show(void);
void achi_counter_hide_again(bool was_hidden);

/* A call that starts a program. */
#define ACHI_COUNTER_SHOWN(call)                                                                   \
    __extension__({                                                                                \
        bool achi_was_hidden = achi_counter_show();                                                \
        __typeof__(call) achi_started = (call);                                                    \
                                                                                                   \
        achi_counter_hide_again(achi_was_hidden);                                                  \
        achi_started;                                                                              \
    })

/* The action of SIGSEGV that the program sees. */
int achi_counter_action(const struct sigaction *action, struct sigaction *old);

#endif
