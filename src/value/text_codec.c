/* SPDX-License-Identifier: BSD-3-Clause */
/* text_codec.c - the encoding text: a message is a text in UTF-8 */
#include <string.h>

#include "codec.h"
#include "utf8.h"

static enum ach_status text_open(const ach_channel_type_t *type, void **state,
                                 struct value_tree *example)
{
    (void)type;
    (void)state;
    example->root.kind = VALUE_TEXT;
    return ACH_OK;
}

static enum ach_status text_decode(void *state, const void *bytes, size_t size,
                                   struct value_tree *t)
{
    const char *text = bytes;
    size_t i = 0, n;

    (void)state;
    if (size && text[size - 1] == '\0') /* as C programs put strings */
        size--;
    for (; i < size; i += n) {
        n = utf8_length(text + i, size - i);
        if (!n)
            return ach_errstr_set(ACH_CORRUPT, "byte %zu is not UTF-8", i);
    }
    t->root = (struct value){.kind = VALUE_TEXT, .text = text, .count = size};
    return ACH_OK;
}

static enum ach_status text_encode(void *state, const struct value *example,
                                   const struct value_source *source, FILE *to)
{
    (void)state;
    (void)example;
    if (source->json || source->count != 1)
        return ach_errstr_set(ACH_EINVAL, "a message in text is one word, without a name");
    fputs(source->words[0], to);
    return ACH_OK;
}

const struct value_encoding value_encoding_text = {
    .name = "text", .open = text_open, .decode = text_decode, .encode = text_encode};
