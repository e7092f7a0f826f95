/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pending.h - pass requests of clients on to a required device, and answer them
 *
 * For use in the driver's thread only.
 */
#ifndef DRV_PENDING_H
#define DRV_PENDING_H

#include <ach/driver.h>

#include "../../util/pending.h"

/* Forward a request to a required device unchanged. */
ach_status_t drv_pending_pass(struct pending_table *asked, ach_driver_t *driver,
                              const ach_address_t *to, const ach_message_t *request);

/*
 * Send a different request to a required device on behalf of a request. @body: the struct, or
 * NULL. @request: NULL: the driver itself asks.
 */
ach_status_t drv_pending_other(struct pending_table *asked, ach_driver_t *driver,
                               const ach_address_t *to, uint8_t subtype, const void *body,
                               const ach_message_t *request);

/* Remove the request that this answers; the caller releases it. NULL: none is pending. */
ach_message_t *drv_pending_take(struct pending_table *asked, const ach_message_t *answer);

/* Forward the answer to the client that sent the request. */
ach_status_t drv_pending_relay(struct pending_table *asked, ach_driver_t *driver,
                               const ach_message_t *answer);

#endif
