/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * golden.c - decodes bodies that golden.py encoded, and encodes them again
 *
 * Reads lines of interface, type, subtype, bytes and JSON. Answers each with the
 * message's name, the bytes that the decoded body and the JSON encode to, and
 * the JSON of the decoded body.
 */
#include <ach/interface.h>
#include <stdlib.h>
#include <string.h>

static size_t from_hex(const char *text, uint8_t *bytes)
{
    size_t n = strlen(text) / 2, i;
    unsigned v;

    for (i = 0; i < n && sscanf(text + 2 * i, "%2x", &v) == 1; i++)
        bytes[i] = (uint8_t)v;
    return n;
}

static void print_encoded(const ach_type_t *type, const void *body)
{
    size_t room = 0, size = 0, i;
    uint8_t *bytes;

    if (ach_encoded_size(type, body, &room) != ACH_OK) {
        printf("\t%s", ach_errstr());
        return;
    }
    bytes = malloc(room);
    if (ach_encode(type, body, bytes, room, &size) != ACH_OK || size != room)
        printf("\tencoded to %zu, not %zu: %s", size, room, ach_errstr());
    putchar('\t');
    for (i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    free(bytes);
}

static void answer_body(const ach_message_def_t *m, const uint8_t *bytes, size_t n,
                        const char *json)
{
    void *decoded, *read;

    if (ach_decode_new(m->body, bytes, n, &decoded) != ACH_OK) {
        printf("not decoded: %s", ach_errstr());
        return;
    }
    if (ach_body_from_json(m->body, json, &read) != ACH_OK) {
        printf("not read: %s", ach_errstr());
        free(decoded);
        return;
    }
    printf("ok\t%s", m->name);
    print_encoded(m->body, decoded);
    print_encoded(m->body, read);
    putchar('\t');
    ach_body_json(m->body, decoded, stdout);
    free(decoded);
    free(read);
}

static void answer(char *line)
{
    char *word[5] = {NULL}, *save = line;
    const ach_message_def_t *m;
    uint8_t *bytes;
    int i;

    for (i = 0; i < 5; i++)
        word[i] = strsep(&save, "\t");
    if (!word[4])
        exit(2);
    m = ach_interface_message(ach_interface_by_code((unsigned)atoi(word[0])),
                              (unsigned)atoi(word[1]), (unsigned)atoi(word[2]));
    bytes = malloc(strlen(word[3]) / 2 + 1);
    if (!m)
        printf("not known");
    else if (!m->body)
        printf("empty\t%s", m->name);
    else
        answer_body(m, bytes, from_hex(word[3], bytes), word[4]);
    putchar('\n');
    free(bytes);
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;

    while ((n = getline(&line, &room, stdin)) > 0) {
        if (line[n - 1] == '\n')
            line[n - 1] = 0;
        answer(line);
    }
    free(line);
    return 0;
}
