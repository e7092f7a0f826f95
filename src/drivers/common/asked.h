/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * asked.h - requests that a driver has passed on, and waits for the answers to
 *
 * Requests of several clients may have the same sequence; each that is passed
 * on gets one of its own, and is found again by that. One thread: the driver's.
 */
#ifndef ACHI_ASKED_H
#define ACHI_ASKED_H

#include <ach/driver.h>

/* Under way at once. One more, and the oldest is answered with a NACK. */
#define ACHI_ASKED_MAX 64u

/* All zero: nothing is under way. */
struct achi_asked {
    ach_message_t *requests[ACHI_ASKED_MAX]; /* by sequence */
    uint32_t sequence;
};

/* Pass a request on to a required device as it is. */
ach_status_t achi_asked_pass(struct achi_asked *asked, ach_driver_t *driver,
                             const ach_address_t *to, const ach_message_t *request);

/*
 * Ask a required device something else because of a request. @body: the struct, or NULL.
 * @request: NULL: the driver itself wants to know.
 */
ach_status_t achi_asked_other(struct achi_asked *asked, ach_driver_t *driver,
                              const ach_address_t *to, uint8_t subtype, const void *body,
                              const ach_message_t *request);

/* The request that this answers, the caller's to release; NULL: nobody waits for it. */
ach_message_t *achi_asked_take(struct achi_asked *asked, const ach_message_t *answer);

/* Hand the answer to who asked. */
ach_status_t achi_asked_relay(struct achi_asked *asked, ach_driver_t *driver,
                              const ach_message_t *answer);

/* Answer all with a NACK: for shutdown. */
void achi_asked_forget(struct achi_asked *asked);

#endif
