/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config_parse.h - from tokens to sections
 *
 * The reader goes on after an error where it can tell what was meant, so that
 * one run finds most of them. It stops after ACH_CONFIG_ERRORS_MAX, and at once
 * when a limit is passed or there is no memory.
 */
#ifndef ACHI_CONFIG_PARSE_H
#define ACHI_CONFIG_PARSE_H

#include "config_file.h"
#include "config_lex.h"

/* A file that is being read, and the one that includes it. */
struct achi_source {
    struct achi_source *includer;
    const struct achi_file *file; /* NULL: a text in memory */
    struct achi_lexer lexer;
};

struct achi_parser {
    struct ach_config *config;
    struct achi_source *source;
    size_t total; /* bytes read */
    int depth;    /* sections around this place */
    int includes;
    int errors;
    struct achi_place last; /* of the last error */
    bool stop;
    bool no_memory;
    struct achi_value *values; /* of the field that is being read */
    size_t value_count, value_room;
};

/* Read all of a file into a section. */
void achi_parse_source(struct achi_parser *p, struct achi_source *source,
                       struct ach_section *section);

/* One error: "found ..., expected ...". A second one at the same place is not told. */
void achi_parse_unexpected(struct achi_parser *p, const struct achi_token *found,
                           const char *format, ...) __attribute__((format(printf, 3, 4)));

/* One error that says all itself. */
void achi_parse_error(struct achi_parser *p, struct achi_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As achi_parse_error, after which nothing more is read. */
void achi_parse_limit(struct achi_parser *p, struct achi_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* There is no memory: stop. */
void achi_parse_no_memory(struct achi_parser *p);

/* The next token; the end of the file once reading has stopped. */
const struct achi_token *achi_parse_token(struct achi_parser *p);
void achi_parse_advance(struct achi_parser *p);

/* Count one item against the limit. */
bool achi_parse_spend(struct achi_parser *p, struct achi_place at);

bool achi_parse_is_value(const struct achi_token *token);

/* Read a value, or a tuple; false if there is none. The values are in p->values. */
bool achi_parse_value(struct achi_parser *p, bool *tuple);

/* Read the value of a field whose name was read. */
void achi_parse_field(struct achi_parser *p, struct ach_section *section, const char *name,
                      struct achi_place at);

/* Read a file's name, and that file into the section. */
void achi_parse_include(struct achi_parser *p, struct ach_section *section);

#endif
