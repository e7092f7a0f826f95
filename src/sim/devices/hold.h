/* SPDX-License-Identifier: BSD-3-Clause */
/* hold.h - messages of a device that wait for their time */
#ifndef ACHI_SIM_HOLD_H
#define ACHI_SIM_HOLD_H

#include "device.h"

/* What to do with a message when its time has come; the message is the caller's. */
typedef ach_status_t achi_hold_done_t(struct achi_simdev *d, const ach_message_t *m);

/* Hold a message for so long; a reference of its own is taken. */
ach_status_t achi_hold(struct achi_simdev *d, struct achi_holds *holds, const ach_message_t *m,
                       int64_t latency, achi_hold_done_t *done);

/* Forget them all. */
void achi_hold_forget(struct achi_simdev *d, struct achi_holds *holds);

#endif
