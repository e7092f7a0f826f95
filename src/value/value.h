/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * value.h - a decoded message: a tree of named values
 *
 * Each encoding makes such trees from bytes (codec.h), and each output format writes them
 * (format.h), so that encodings and formats need not know each other. Arrays of numbers are not
 * trees of their own: a packed value points to them.
 */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/* The deepest nesting of values. */
#define VALUE_DEPTH_MAX 64u

enum value_kind {
    VALUE_NULL, /* nothing, or unknown */
    VALUE_BOOL,
    VALUE_INT,
    VALUE_UINT,
    VALUE_FLOAT, /* a double that was a float: it has fewer digits */
    VALUE_DOUBLE,
    VALUE_NUMBER, /* a number as a JSON text has it; a byte that is no digit follows */
    VALUE_ENUM,   /* a number with a name */
    VALUE_TEXT,   /* meant to be UTF-8; not checked */
    VALUE_BYTES,
    VALUE_WORD, /* a word of a command line: only the encoding knows what it is */
    VALUE_LIST,
    VALUE_PACKED, /* a list of numbers */
    VALUE_OBJECT,
};

/* How the numbers of a packed list are stored: unaligned, in the byte order of this machine. */
enum value_element {
    VALUE_BOOL8,
    VALUE_INT8,
    VALUE_INT16,
    VALUE_INT32,
    VALUE_INT64,
    VALUE_UINT8,
    VALUE_UINT16,
    VALUE_UINT32,
    VALUE_UINT64,
    VALUE_FLOAT32,
    VALUE_FLOAT64,
};

struct value_text {
    const char *at; /* not terminated by a NUL */
    size_t size;
};

struct value {
    struct value_text name; /* of a member of an object */
    uint8_t kind;           /* enum value_kind */
    uint8_t element;        /* enum value_element */
    bool fixed;             /* the type gives the length of this list */
    size_t count;           /* of items, numbers or bytes */
    union {
        struct value *items;
        const uint8_t *numbers; /* NULL: all are 0 */
        const char *text;       /* also the name of a VALUE_ENUM */
    };
    union {
        bool truth;
        int64_t i; /* also the number of a VALUE_ENUM */
        uint64_t u;
        double real;
    };
};

/* Begin with all members 0. */
struct value_tree {
    struct value_arena arena;
    struct value root;
};

void value_tree_finish(struct value_tree *t);

/* Is it a list, packed or not? */
bool value_is_list(const struct value *v);

/* Append a value of kind NULL to a list or an object. NULL after setting ach_errstr. */
struct value *value_add(struct value_arena *a, struct value *parent, const char *name, size_t size);

/* Append a number to a packed list, as it is stored. False after setting ach_errstr. */
bool value_add_number(struct value_arena *a, struct value *list, const void *number);

/* An element of a list, below its count. */
struct value value_item(const struct value *list, size_t index);

/* A member of an object, the last one of that name; NULL: there is none. */
const struct value *value_member(const struct value *object, const char *name, size_t size);

/* The value as a number. False: it is none. */
bool value_real(const struct value *v, double *real);

/* Does the text of a value begin with this character? */
bool value_begins(const struct value *v, char c);

/*
 * A number, true or false as text; exact: reading it back gives the same value. Not for
 * VALUE_NUMBER and VALUE_ENUM, which have a text.
 */
#define VALUE_SCALAR_TEXT 48
const char *value_scalar_text(const struct value *v, bool exact, char text[VALUE_SCALAR_TEXT]);

#endif
