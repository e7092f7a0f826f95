/* SPDX-License-Identifier: BSD-3-Clause */
/* protobuf.c - any bytes as a descriptor set, and any bytes as a message of it */
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "formats.h"
#include "property.h"

#define LENGTH 2u

static void decode_it(const struct value_codec *c, const uint8_t *bytes, size_t size)
{
    struct value_tree t = {.root = {.kind = VALUE_NULL}};
    struct value_source source = {.json = NULL};
    void *encoded = NULL;
    char *text;

    if (STATUS(value_codec_decode(c, bytes, size, &t),
               ACH_MASK_OK | ACH_MASK_CORRUPT | ACH_MASK_FAILED_SYSCALL) == ACH_OK) {
        text = formats_write(&t.root);
        formats_find(&t.root);
        source.json = text;
        STATUS(value_codec_encode(c, &source, &encoded, &size),
               ACH_MASK_OK | ACH_MASK_EINVAL | ACH_MASK_FAILED_SYSCALL);
        free(encoded);
        free(text);
    }
    value_tree_finish(&t);
}

/* The type is the one of the seeds. */
void property_protobuf(const uint8_t *data, size_t size)
{
    ach_channel_type_t type = {
        {{.name = "T", .encoding = "protobuf", .schema_encoding = "protobuf"}}};
    struct value_codec c;
    uint8_t *message;

    if (size < LENGTH)
        return;
    type.schema = data + LENGTH;
    type.schema_size = (size_t)data[0] | (size_t)data[1] << 8;
    size -= LENGTH;
    if (type.schema_size > size)
        type.schema_size = size;
    if (STATUS(value_codec_open(&c, &type),
               ACH_MASK_OK | ACH_MASK_EINVAL | ACH_MASK_FAILED_SYSCALL) != ACH_OK)
        return;
    formats_find(&c.example.root);
    size -= type.schema_size;
    message = malloc(size ? size : 1); /* so that reading behind it is noticed */
    HOLDS(message != NULL);
    memcpy(message, data + LENGTH + type.schema_size, size);
    decode_it(&c, message, size);
    free(message);
    value_codec_close(&c);
}
