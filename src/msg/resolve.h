/* SPDX-License-Identifier: BSD-3-Clause */
/* resolve.h - what the name of a field's type means */
#ifndef MSG_RESOLVE_H
#define MSG_RESOLVE_H

#include "parse.h"
#include "word.h"

struct msg_reference {
    enum msg_meaning meaning;
    uint8_t kind;     /* of a scalar: enum ach_kind */
    unsigned section; /* its index in the text */
};

/* Resolve a type as it is used in a package. */
struct msg_reference msg_resolve(const struct msg_text *t, const char *type, const char *user);

#endif
