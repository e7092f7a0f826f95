/* SPDX-License-Identifier: BSD-3-Clause */
/* literal.h - values in definitions: of constants, and defaults of fields */
#ifndef MSG_LITERAL_H
#define MSG_LITERAL_H

#include "parse.h"

/* The value of a constant. */
struct msg_literal {
    uint8_t kind;     /* enum ach_kind */
    bool negative;    /* a whole number */
    uint64_t whole;   /* its absolute value; of a boolean: 0 or 1 */
    const char *text; /* a string, without its quotes */
    size_t size;
};

/* Read the value of a constant of a parsed text. ACH_EINVAL: it does not fit its type. */
enum ach_status msg_literal_read(const struct msg_field *constant, struct msg_literal *literal);

/* Check the value of a field, a constant or a default, if it has one. */
enum ach_status msg_literal_check(const struct msg_field *f);

/* The text behind a text in quotes; NULL: it has no quote at its end. */
const char *msg_quoted_end(const char *text);

#endif
