/* SPDX-License-Identifier: BSD-3-Clause */
/* stop.h - let Ctrl-C, SIGTERM and SIGHUP end a verb that follows a channel */
#ifndef STOP_H
#define STOP_H

#include <ach.h>
#include <stdbool.h>

/* From now on these signals only cancel chan, if it is not NULL, and make stopped() true. */
void stop_on_signals(ach_channel_t *chan);

/* Call before closing the handle: signals no longer cancel it. */
void stop_forget(void);

bool stopped(void);

#endif
