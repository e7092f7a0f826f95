/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.h - sleeping until a channel has something new */
#ifndef ACHI_WAIT_H
#define ACHI_WAIT_H

#include <ach.h>

#include "handle.h"

/* When to give up. */
struct achi_deadline {
    bool forever;
    clockid_t clock;
    struct timespec at;
};

/* From a function's timeout argument. ACH_EINVAL for what is no time. */
enum ach_status achi_deadline_init(struct achi_deadline *d, const struct timespec *timeout,
                                   clockid_t clock, int options);

/*
 * Sleep while the handle's commit word is word. ACH_OK: look again;
 * ACH_TIMEOUT; ACH_CANCELED; ACH_ENOENT as ACH_O_LINKED asks.
 */
enum ach_status achi_sleep(ach_channel_t *chan, uint32_t word, const struct achi_deadline *d,
                           int options);

#endif
