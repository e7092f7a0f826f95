/* SPDX-License-Identifier: BSD-3-Clause */
/* counter.h - the processor's counter of cycles, which tells real time without the kernel */
#ifndef ACHI_PRELOAD_COUNTER_H
#define ACHI_PRELOAD_COUNTER_H

#include <signal.h>
#include <stdbool.h>

/* Let the calling thread and all that it starts not read the counter. False: not possible. */
bool achi_counter_hide(void);

/* As before; the dynamic linker of the next program reads it. */
void achi_counter_show(void);

/* The action of SIGSEGV that the program sees. */
int achi_counter_action(const struct sigaction *action, struct sigaction *old);

#endif
