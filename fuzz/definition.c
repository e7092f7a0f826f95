/* SPDX-License-Identifier: BSD-3-Clause */
/* definition.c - any text as a definition, any bytes as a message of it */
#include "property.h"

#include <ach/definition.h>
#include <stdlib.h>
#include <string.h>

/* A message that was decoded is encoded, and the bytes of that are decoded to the same. */
static void encode_again(const ach_type_t *type, const void *body)
{
    size_t size = 0, again = 0;
    uint8_t *bytes, *other;
    void *back = NULL;

    HOLDS(ach_cdr_encoded_size(type, body, &size) == ACH_OK);
    bytes = malloc(size);
    other = malloc(size);
    HOLDS(bytes && other);
    HOLDS(ach_cdr_encode(type, body, bytes, size, &again) == ACH_OK && again == size);
    HOLDS(ach_cdr_decode_new(type, bytes, size, &back) == ACH_OK);
    HOLDS(ach_cdr_encode(type, back, other, size, &again) == ACH_OK && again == size);
    HOLDS(memcmp(bytes, other, size) == 0);
    HOLDS(ach_body_equal(type, body, back));
    free(back);
    free(bytes);
    free(other);
}

static void print_it(const ach_type_t *type, const void *body)
{
    static FILE *null;

    if (!null)
        null = fopen("/dev/null", "w");
    HOLDS(null != NULL);
    ach_body_print(type, body, 0, null);
    ach_body_json(type, body, null);
}

void property_definition(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, 0, size);
    size_t text = end ? (size_t)(end - data) : size, rest = end ? size - text - 1 : 0, used;
    ach_definition_t *d = NULL;
    enum ach_status status;
    uint8_t *bytes;
    void *body = NULL;

    if (STATUS(ach_definition_new("demo/msg/Fuzz", (const char *)data, text, &d),
               ACH_MASK_OK | ACH_MASK_EINVAL | ACH_MASK_FAILED_SYSCALL) != ACH_OK)
        return;
    bytes = malloc(rest ? rest : 1);
    HOLDS(bytes != NULL);
    if (rest)
        memcpy(bytes, end + 1, rest);
    status = ach_cdr_check(ach_definition_type(d), bytes, rest, &used);
    HOLDS(status == ACH_CORRUPT || (status == ACH_OK && used <= rest));
    if (STATUS(ach_cdr_decode_new(ach_definition_type(d), bytes, rest, &body),
               ach_status_mask(status) | ACH_MASK_FAILED_SYSCALL) == ACH_OK) {
        print_it(ach_definition_type(d), body);
        encode_again(ach_definition_type(d), body);
    }
    free(body);
    free(bytes);
    ach_definition_free(d);
}
