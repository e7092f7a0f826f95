/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * proxy.h - common part of the typed functions in proxies.h
 *
 * Applications include <ach/proxies.h>. For an interface of your own, generate such
 * a header with ach-interfaces --proxies.
 */
#ifndef ACH_PROXY_H
#define ACH_PROXY_H

#include <ach/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ach_proxy_get - get data of an interface, and its struct
 * @device: the handle
 * @interf: the interface that the caller expects
 * @subtype: which data
 * @timeout: as for ach_device_get
 * @options: as for ach_device_get
 * @message: set to the message; the caller releases it with ach_message_unref
 * @body: set to its struct, which lives as long as the message
 *
 * Allocates: yes. Blocks: with ACH_O_WAIT.
 *
 * Returns: as ach_device_get; ACH_EINVAL: the device has another interface;
 * ACH_CORRUPT: the message has no such body.
 *
 * Since: 3.0
 */
static inline ach_status_t ach_proxy_get(ach_device_t *device, uint16_t interf, uint8_t subtype,
                                         double timeout, int options, ach_message_t **message,
                                         const void **body)
{
    ach_message_t *m;
    const void *b;
    ach_status_t status;

    if (ach_device_address(device)->interf != interf)
        return ACH_EINVAL;
    status = ach_device_get(device, subtype, timeout, options, &m);
    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        return status;
    b = ach_message_body(m);
    if (!b) {
        ach_message_unref(m);
        return ACH_CORRUPT;
    }
    *message = m;
    *body = b;
    return status;
}

/**
 * ach_proxy_command - send a command to a device of an interface
 * @device: the handle
 * @interf: the interface that the caller expects
 * @subtype: the message
 * @body: its struct; NULL: no body
 *
 * Allocates: yes. Blocks: as ach_device_command.
 *
 * Returns: as ach_device_command; ACH_EINVAL: the device has another interface.
 *
 * Since: 3.0
 */
static inline ach_status_t ach_proxy_command(ach_device_t *device, uint16_t interf, uint8_t subtype,
                                             const void *body)
{
    return ach_device_address(device)->interf == interf ? ach_device_command(device, subtype, body)
                                                        : ACH_EINVAL;
}

/**
 * ach_proxy_request - send a request to a device of an interface, and wait for the answer
 * @device: the handle
 * @interf: the interface that the caller expects
 * @subtype: the message
 * @body: its struct; NULL: no body
 * @timeout: seconds to wait at most
 * @answer: as for ach_device_request
 *
 * Allocates: yes. Blocks: as ach_device_request.
 *
 * Returns: as ach_device_request; ACH_EINVAL: the device has another interface.
 *
 * Since: 3.0
 */
static inline ach_status_t ach_proxy_request(ach_device_t *device, uint16_t interf, uint8_t subtype,
                                             const void *body, double timeout,
                                             ach_message_t **answer)
{
    return ach_device_address(device)->interf == interf
               ? ach_device_request(device, subtype, body, timeout, answer)
               : ACH_EINVAL;
}

#ifdef __cplusplus
}
#endif

#endif
