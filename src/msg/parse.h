/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parse.h - the text of a definition as a list of sections and fields
 *
 * A section is the definition of one message: the first one, or one that it uses. Names point into
 * private copies of the texts. Types are still names here; see tables.h.
 */
#ifndef MSG_PARSE_H
#define MSG_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ach.h>

#define MSG_SECTIONS_MAX 256u
#define MSG_FIELDS_MAX 8192u

struct msg_field {
    const char *type; /* "float64", "Point", "geometry_msgs/Point" */
    const char *name;
    const char *value; /* of a constant, or the default; NULL: none */
    bool constant;
    uint8_t array;         /* enum ach_array, but no ACH_ARRAY_COUNT */
    uint32_t limit;        /* elements at most; 1 for one value */
    uint32_t string_limit; /* characters at most */
    unsigned line;
};

struct msg_section {
    const char *package;   /* "geometry_msgs" */
    const char *name;      /* "Point" */
    unsigned first, count; /* its fields */
};

/* The name or a text, cut into words. */
struct msg_copy {
    struct msg_copy *next;
    char text[];
};

struct msg_text {
    struct msg_copy *copies;
    struct msg_section *sections;
    struct msg_field *fields;
    unsigned section_count, field_count;
};

/* Parse a definition. Free it in any case. */
enum ach_status msg_parse(struct msg_text *t, const char *name, const char *text, size_t size);
void msg_text_free(struct msg_text *t);

/* Add the definitions of another text, which begins with a separator. Lines are counted anew. */
enum ach_status msg_parse_more(struct msg_text *t, const char *text, size_t size);

/* The index of a section; -1: there is none. */
int msg_section_find(const struct msg_text *t, const char *package, const char *name);

/* Cut "package/msg/Name" or "package/Name" in place. A name alone has the package "". */
void msg_split(char *full, const char **package, const char **name);

#endif
