/* SPDX-License-Identifier: BSD-3-Clause */
/* definition.c - any text as a definition, any bytes as a message of it */
#include "property.h"

#include <ach/ros1.h>
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

/* The same in the encoding of ROS 1, and the definition in its language. */
static void as_ros1(const ach_definition_t *d, const uint8_t *bytes, size_t n)
{
    char md5[ACH_ROS1_MD5], *name = NULL, *text = NULL;
    ach_definition_t *again = NULL;
    void *body = NULL, *back = NULL;
    size_t size = 0;
    uint8_t *other;

    HOLDS(ach_ros1_md5(d, md5) == ACH_OK);
    HOLDS(ach_definition_text(d, 1, &name, &text) == ACH_OK);
    STATUS(ach_definition_new(name, text, strlen(text), &again),
           ACH_MASK_OK | ACH_MASK_EINVAL | ACH_MASK_FAILED_SYSCALL);
    if (STATUS(ach_ros1_decode_new(d, bytes, n, &body),
               ACH_MASK_OK | ACH_MASK_CORRUPT | ACH_MASK_FAILED_SYSCALL) == ACH_OK) {
        HOLDS(ach_ros1_encoded_size(d, body, &size) == ACH_OK && size == n);
        other = malloc(size ? size : 1);
        HOLDS(other != NULL);
        HOLDS(ach_ros1_encode(d, body, other, size, &size) == ACH_OK && size == n);
        HOLDS(ach_ros1_decode_new(d, other, size, &back) == ACH_OK);
        HOLDS(ach_body_equal(ach_definition_type(d), body, back));
        free(other);
    }
    ach_definition_free(again);
    free(back);
    free(body);
    free(name);
    free(text);
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
    as_ros1(d, bytes, rest);
    free(body);
    free(bytes);
    ach_definition_free(d);
}
