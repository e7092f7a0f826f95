/* SPDX-License-Identifier: BSD-3-Clause */
/* delay.h - messages of a device that are held back for their latency */
#ifndef SIMD_SIM_DELAY_H
#define SIMD_SIM_DELAY_H

#include "device.h"

/* Called with a message after its latency; the caller keeps its reference. */
typedef ach_status_t simd_delay_done_t(struct simd_simdev *d, const ach_message_t *m);

/* Hold a message for `latency` ns; takes its own reference. */
ach_status_t simd_delay(struct simd_simdev *d, struct simd_holds *holds, const ach_message_t *m,
                        int64_t latency, simd_delay_done_t *done);

/* Drop all messages of the list. */
void simd_delay_forget(struct simd_simdev *d, struct simd_holds *holds);

#endif
