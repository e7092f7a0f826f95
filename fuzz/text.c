/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c - any text as JSON, or as words, for any message */
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *json_of(const ach_type_t *type, const void *body)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    HOLDS(f);
    ach_body_json(type, body, f);
    HOLDS(fclose(f) == 0);
    return text;
}

static void print(const ach_type_t *type, const void *body)
{
    FILE *f = fopen("/dev/null", "w");

    HOLDS(f);
    ach_body_print(type, body, 3, f);
    fclose(f);
}

/* What was read can be encoded, and its JSON is read as a body of the same JSON. */
static void same_json(const ach_type_t *type, const void *body)
{
    char *first = json_of(type, body), *second;
    void *back = NULL;
    size_t size;

    HOLDS(ach_encoded_size(type, body, &size) == ACH_OK);
    HOLDS(ach_body_from_json(type, first, &back) == ACH_OK);
    second = json_of(type, back);
    HOLDS(strcmp(first, second) == 0);
    print(type, back);
    free(first);
    free(second);
    free(back);
}

void property_text(const uint8_t *data, size_t size)
{
    struct property_input in = {data, data + size};
    const ach_type_t *type = property_type((unsigned)property_number(&in, 2));
    char *text = strndup((const char *)in.at, (size_t)(in.end - in.at)), *save = NULL;
    const char *words[8];
    size_t n = 0;
    void *body;

    HOLDS(text);
    if (STATUS(ach_body_from_json(type, text, &body), ACH_MASK_OK | ACH_MASK_EINVAL) == ACH_OK) {
        same_json(type, body);
        free(body);
    }
    for (words[n] = strtok_r(text, "\n ", &save); words[n] && n < 7;)
        words[++n] = strtok_r(NULL, "\n ", &save);
    if (STATUS(ach_body_from_words(type, words, n, &body), ACH_MASK_OK | ACH_MASK_EINVAL) ==
        ACH_OK) {
        same_json(type, body);
        free(body);
    }
    free(text);
}
