/* SPDX-License-Identifier: BSD-3-Clause */
/* payload.c - any bytes as the payload of a sample of DDS, and as a message to be sent */
#include "property.h"

#include <ach/definition.h>
#include <payload.h>
#include <stdlib.h>
#include <string.h>

/* Seal a message. What is sealed is opened to the same message, without padding behind it. */
static enum ach_status seal_message(const ach_type_t *type, const uint8_t *message, size_t size)
{
    uint8_t *payload = malloc(achdds_payload_room(size));
    const uint8_t *back;
    size_t whole = size, again = 0;
    enum ach_status status;

    HOLDS(payload != NULL);
    if (size)
        memcpy(achdds_payload_message(type, payload), message, size);
    status = STATUS(achdds_payload_seal(type, payload, &whole), ACH_MASK_OK | ACH_MASK_CORRUPT);
    if (status == ACH_OK) {
        HOLDS(whole % 4 == 0 && whole <= achdds_payload_room(size));
        HOLDS(achdds_payload_open(type, payload, whole, &back, &again) == ACH_OK);
        HOLDS(again <= size && (type || again == size));
        HOLDS(again == 0 || memcmp(back, message, again) == 0);
    }
    free(payload);
    return status;
}

static void open_payload(const ach_type_t *type, const uint8_t *payload, size_t n)
{
    const uint8_t *message;
    size_t size;

    if (STATUS(achdds_payload_open(type, payload, n, &message, &size),
               ACH_MASK_OK | ACH_MASK_CORRUPT | ACH_MASK_ENOTSUP) != ACH_OK)
        return;
    HOLDS(message >= payload && message <= payload + n);
    HOLDS(size <= (size_t)(payload + n - message));
    HOLDS(seal_message(type, message, size) == ACH_OK);
}

void property_payload(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, 0, size);
    size_t text = end ? (size_t)(end - data) : size, rest = end ? size - text - 1 : 0;
    const ach_type_t *type = NULL;
    ach_definition_t *d = NULL;
    uint8_t *bytes;

    if (text && ach_definition_new("demo/msg/Fuzz", (const char *)data, text, &d) != ACH_OK)
        return;
    if (d)
        type = ach_definition_type(d);
    bytes = malloc(rest ? rest : 1);
    HOLDS(bytes != NULL);
    if (rest)
        memcpy(bytes, end + 1, rest);
    open_payload(type, bytes, rest);
    seal_message(type, bytes, rest);
    free(bytes);
    ach_definition_free(d);
}
