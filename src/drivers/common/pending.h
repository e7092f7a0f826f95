/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pending.h - requests that a driver has forwarded and that are not answered yet
 *
 * Requests of several clients may have the same sequence number; each forwarded request gets a new
 * one, by which its answer is matched. For use in the driver's thread only.
 */
#ifndef DRV_PENDING_H
#define DRV_PENDING_H

#include <ach/driver.h>

/* Most requests pending at once. If there is one more, the oldest is answered with a NACK. */
#define DRV_ASKED_MAX 64u

/* All zero: no request is pending. */
struct drv_pending {
    ach_message_t *requests[DRV_ASKED_MAX]; /* indexed by sequence % DRV_ASKED_MAX */
    uint32_t sequence;
};

/* Forward a request to a required device unchanged. */
ach_status_t drv_pending_pass(struct drv_pending *asked, ach_driver_t *driver,
                              const ach_address_t *to, const ach_message_t *request);

/*
 * Send a different request to a required device on behalf of a request. @body: the struct, or
 * NULL. @request: NULL: the driver itself asks.
 */
ach_status_t drv_pending_other(struct drv_pending *asked, ach_driver_t *driver,
                               const ach_address_t *to, uint8_t subtype, const void *body,
                               const ach_message_t *request);

/* Remove the request that this answers; the caller releases it. NULL: none is pending. */
ach_message_t *drv_pending_take(struct drv_pending *asked, const ach_message_t *answer);

/* Forward the answer to the client that sent the request. */
ach_status_t drv_pending_relay(struct drv_pending *asked, ach_driver_t *driver,
                               const ach_message_t *answer);

/* Answer all pending requests with a NACK: for shutdown. */
void drv_pending_forget(struct drv_pending *asked);

#endif
