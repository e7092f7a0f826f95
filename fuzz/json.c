/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c - any text as JSON */
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "formats.h"
#include "json_parse.h"
#include "property.h"

/* The text as a JSON Schema. */
static void use_as_schema(const uint8_t *data, size_t size)
{
    ach_channel_type_t type = {{{.name = "T",
                                 .encoding = "json",
                                 .schema_encoding = "jsonschema",
                                 .schema = data,
                                 .schema_size = size}}};
    struct value_codec c;

    if (STATUS(value_codec_open(&c, &type), ACH_MASK_OK | ACH_MASK_FAILED_SYSCALL) == ACH_OK) {
        formats_find(&c.example.root);
        value_codec_close(&c);
    }
}

void property_json(const uint8_t *data, size_t size)
{
    struct value_tree t = {.root = {.kind = VALUE_NULL}}, again = t;
    char *text, *second;

    if (STATUS(value_parse_json(&t.arena, (const char *)data, size, &t.root),
               ACH_MASK_OK | ACH_MASK_EINVAL | ACH_MASK_FAILED_SYSCALL) == ACH_OK) {
        text = formats_write(&t.root);
        formats_find(&t.root);
        use_as_schema(data, size);
        HOLDS(value_parse_json(&again.arena, text, strlen(text), &again.root) == ACH_OK);
        second = formats_write(&again.root);
        HOLDS(strcmp(text, second) == 0);
        free(text);
        free(second);
    }
    value_tree_finish(&t);
    value_tree_finish(&again);
}
