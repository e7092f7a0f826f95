/* SPDX-License-Identifier: BSD-3-Clause */
#include "pending.h"

#include <string.h>

/* Consumes the caller's reference to sent. */
static ach_status_t send(struct drv_pending *asked, ach_driver_t *driver, const ach_address_t *to,
                         ach_message_t *sent, const ach_message_t *request)
{
    ach_message_t **slot = &asked->requests[asked->sequence % DRV_ASKED_MAX];
    ach_status_t status;

    ach_message_unref(*slot);
    *slot = request ? ach_message_ref(request) : NULL;
    status = ach_driver_send(driver, to, sent);
    ach_message_unref(sent);
    if (status != ACH_OK) {
        ach_message_unref(*slot);
        *slot = NULL;
    }
    return status;
}

ach_status_t drv_pending_pass(struct drv_pending *asked, ach_driver_t *driver,
                              const ach_address_t *to, const ach_message_t *request)
{
    ach_header_t h = *ach_message_header(request);
    ach_message_t *sent;
    ach_status_t status;

    h.sequence = ++asked->sequence;
    status = ach_message_again(request, &h, &sent);
    return status == ACH_OK ? send(asked, driver, to, sent, request) : status;
}

ach_status_t drv_pending_other(struct drv_pending *asked, ach_driver_t *driver,
                               const ach_address_t *to, uint8_t subtype, const void *body,
                               const ach_message_t *request)
{
    ach_header_t h = {.address = *to,
                      .type = ACH_MSG_REQ,
                      .subtype = subtype,
                      .sequence = ++asked->sequence,
                      .timestamp = ach_driver_time(driver)};
    ach_message_t *sent;
    ach_status_t status = ach_message_create(&h, body, &sent);

    return status == ACH_OK ? send(asked, driver, to, sent, request) : status;
}

ach_message_t *drv_pending_take(struct drv_pending *asked, const ach_message_t *answer)
{
    uint32_t sequence = ach_message_header(answer)->sequence;
    ach_message_t **slot = &asked->requests[sequence % DRV_ASKED_MAX], *request = *slot;

    if (asked->sequence - sequence >= DRV_ASKED_MAX)
        return NULL; /* the slot belongs to a newer request */
    *slot = NULL;
    return request;
}

ach_status_t drv_pending_relay(struct drv_pending *asked, ach_driver_t *driver,
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

void drv_pending_forget(struct drv_pending *asked)
{
    unsigned i;

    for (i = 0; i < DRV_ASKED_MAX; i++)
        ach_message_unref(asked->requests[i]);
    memset(asked->requests, 0, sizeof(asked->requests));
}
