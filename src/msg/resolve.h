/* SPDX-License-Identifier: BSD-3-Clause */
/* resolve.h - what the name of a field's type means */
#ifndef MSG_RESOLVE_H
#define MSG_RESOLVE_H

#include "parse.h"

enum msg_meaning {
    MSG_SCALAR,
    MSG_STRING,
    MSG_SECTION,  /* another definition of the text */
    MSG_TIME,     /* builtin_interfaces/Time, if the text does not define it */
    MSG_DURATION, /* the same for Duration */
    MSG_WSTRING,  /* known, but not supported */
    MSG_ABSENT,   /* the text has no such definition */
};

struct msg_reference {
    enum msg_meaning meaning;
    uint8_t kind;     /* of a scalar: enum ach_kind */
    unsigned section; /* its index in the text */
};

/* Resolve a type as it is used in a package. */
struct msg_reference msg_resolve(const struct msg_text *t, const char *type, const char *user);

/* The name of a scalar in the language. A char is read back as ACH_KIND_UINT8. */
const char *msg_scalar_name(unsigned kind);

#endif
