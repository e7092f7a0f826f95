/* SPDX-License-Identifier: BSD-3-Clause */
/* body.c - any bytes as the body of any message */
#include "property.h"

#include <ach/interface/common.h>
#include <stdlib.h>
#include <string.h>

/* Every message that has a body, in some order. */
const ach_type_t *property_type(unsigned number)
{
    const ach_interface_t *interface = &ach_common_interface;
    size_t interfaces = 0;

    while (ach_interface_at(interfaces))
        interfaces++;
    if (number % (interfaces + 1))
        interface = ach_interface_at(number % (interfaces + 1) - 1);
    number /= (unsigned)interfaces + 1;
    return interface->types[number % interface->type_count];
}

/* A copy in memory of exactly this size. */
static void *exactly(const void *bytes, size_t n)
{
    void *p = malloc(n ? n : 1);

    HOLDS(p);
    if (n)
        memcpy(p, bytes, n);
    return p;
}

/* What was decoded is encoded, and the bytes of that are decoded to the same. */
static void again(const ach_type_t *type, const void *body, size_t n)
{
    size_t room = 0, size = 0;
    void *bytes, *back = NULL, *copy = NULL;

    HOLDS(ach_encoded_size(type, body, &room) == ACH_OK);
    HOLDS(room == n);
    bytes = malloc(room);
    HOLDS(bytes);
    HOLDS(ach_encode(type, body, bytes, room, &size) == ACH_OK && size == room);
    HOLDS(ach_decode_new(type, bytes, size, &back) == ACH_OK);
    HOLDS(ach_body_equal(type, body, back));
    HOLDS(ach_body_copy(type, back, &copy) == ACH_OK && ach_body_equal(type, copy, body));
    free(bytes);
    free(back);
    free(copy);
}

enum ach_status property_bytes(const ach_type_t *type, const uint8_t *data, size_t n)
{
    uint8_t *bytes = exactly(data, n);
    enum ach_status status, sized;
    size_t size = 0;
    void *body;

    sized = STATUS(ach_decoded_size(type, bytes, n, &size),
                   ACH_MASK_OK | ACH_MASK_CORRUPT | ACH_MASK_ENOENT);
    body = malloc(size ? size : type->body_size);
    HOLDS(body);
    HOLDS(size <= type->body_size + 8 * n);
    status = ach_decode(type, bytes, n, body, size ? size : type->body_size);
    if (sized == ACH_OK) {
        HOLDS(status == ACH_OK || status == ACH_CORRUPT);
        HOLDS(size == type->body_size ||
              ach_decode(type, bytes, n, body, type->body_size) != ACH_OK);
        HOLDS(ach_decode(type, bytes, n, body, size) == status);
    } else {
        HOLDS(status == sized || status == ACH_OVERFLOW || status == ACH_CORRUPT);
        status = sized;
    }
    if (status == ACH_OK)
        again(type, body, n);
    free(body);
    free(bytes);
    return status;
}

void property_body(const uint8_t *data, size_t size)
{
    struct property_input in = {data, data + size};
    const ach_type_t *type = property_type((unsigned)property_number(&in, 2));

    property_bytes(type, in.at, (size_t)(in.end - in.at));
}
