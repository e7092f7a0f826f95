/* SPDX-License-Identifier: BSD-3-Clause */
#include "pending.h"

/* A new sequence for what is sent on behalf of a request; NULL: of the driver itself. */
static uint32_t drv_pending_add(struct pending_table *asked, const ach_message_t *request)
{
    uint32_t sequence;

    if (request) {
        ach_message_unref(pending_add(asked, request, &sequence));
    } else {
        pending_next_slot(asked);
        sequence = asked->sequence;
    }
    return sequence;
}

/* Send a message that was created with this status and sequence. Consumes the reference to it. */
static ach_status_t send(struct pending_table *asked, ach_driver_t *driver, const ach_address_t *to,
                         ach_status_t status, ach_message_t *sent, uint32_t sequence)
{
    if (status == ACH_OK) {
        status = ach_driver_send(driver, to, sent);
        ach_message_unref(sent);
    }
    if (status != ACH_OK)
        ach_message_unref(pending_take(asked, sequence));
    return status;
}

ach_status_t drv_pending_pass(struct pending_table *asked, ach_driver_t *driver,
                              const ach_address_t *to, const ach_message_t *request)
{
    ach_header_t h = *ach_message_header(request);
    ach_message_t *sent;
    ach_status_t status;

    h.sequence = drv_pending_add(asked, request);
    status = ach_message_again(request, &h, &sent);
    return send(asked, driver, to, status, sent, h.sequence);
}

ach_status_t drv_pending_other(struct pending_table *asked, ach_driver_t *driver,
                               const ach_address_t *to, uint8_t subtype, const void *body,
                               const ach_message_t *request)
{
    ach_header_t h = {.address = *to,
                      .type = ACH_MSG_REQ,
                      .subtype = subtype,
                      .sequence = drv_pending_add(asked, request),
                      .timestamp = ach_driver_time(driver)};
    ach_message_t *sent;
    ach_status_t status = ach_message_create(&h, body, &sent);

    return send(asked, driver, to, status, sent, h.sequence);
}

ach_message_t *drv_pending_take(struct pending_table *asked, const ach_message_t *answer)
{
    return pending_take(asked, ach_message_header(answer)->sequence);
}

ach_status_t drv_pending_relay(struct pending_table *asked, ach_driver_t *driver,
                               const ach_message_t *answer)
{
    ach_message_t *request = drv_pending_take(asked, answer);
    ach_status_t status;

    if (!request)
        return ACH_OK;
    status = ach_driver_relay(driver, request, answer);
    ach_message_unref(request);
    return status;
}
