/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parse.h - from tokens to sections
 *
 * The parser continues after an error where it can tell what was meant, so that
 * one run finds most errors. It stops after ACH_CONFIG_ERRORS_MAX, and at once
 * when a limit is passed or there is no memory.
 */
#ifndef DEV_CONFIG_PARSE_H
#define DEV_CONFIG_PARSE_H

#include "file.h"
#include "lex.h"

/* A file that is being read, and the one that includes it. */
struct dev_source {
    struct dev_source *includer;
    const struct dev_file *file; /* NULL: a text in memory */
    struct dev_lexer lexer;
};

struct dev_parser {
    struct ach_config *config;
    struct dev_source *source;
    size_t total; /* bytes read */
    int depth;    /* sections around this place */
    int includes;
    int errors;
    struct dev_place last; /* of the last error */
    bool stop;
    bool no_memory;
    struct dev_value *values; /* of the field that is being read */
    size_t value_count, value_room;
};

/* Read all of a file into a section. */
void dev_parse_source(struct dev_parser *p, struct dev_source *source, struct ach_section *section);

/* One error: "found ..., expected ...". A second one at the same place is not reported. */
void dev_parse_unexpected(struct dev_parser *p, const struct dev_token *found, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

/* One error with a complete message. */
void dev_parse_error(struct dev_parser *p, struct dev_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As dev_parse_error, after which nothing more is read. */
void dev_parse_limit(struct dev_parser *p, struct dev_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* There is no memory: stop. */
void dev_parse_no_memory(struct dev_parser *p);

/* The next token; the end of the file once reading has stopped. */
const struct dev_token *dev_parse_token(struct dev_parser *p);
void dev_parse_advance(struct dev_parser *p);

/* Count one item against the limit. */
bool dev_parse_spend(struct dev_parser *p, struct dev_place at);

bool dev_parse_is_value(const struct dev_token *token);

/* Read a value, or a tuple; false if there is none. The values are in p->values. */
bool dev_parse_value(struct dev_parser *p, bool *tuple);

/* Read the value of a field whose name was read. */
void dev_parse_field(struct dev_parser *p, struct ach_section *section, const char *name,
                     struct dev_place at);

/* Read a file's name and open that file; false after an error. */
bool dev_include_open(struct dev_parser *p, struct dev_source *source, struct dev_file *file);
void dev_include_close(struct dev_parser *p, struct dev_file *file);

#endif
