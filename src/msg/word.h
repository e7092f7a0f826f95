/* SPDX-License-Identifier: BSD-3-Clause */
/* word.h - the words of the language: types that need no definition */
#ifndef MSG_WORD_H
#define MSG_WORD_H

#include <stdint.h>

enum msg_meaning {
    MSG_SCALAR,
    MSG_STRING,
    MSG_SECTION,  /* another definition of the text */
    MSG_TIME,     /* builtin_interfaces/Time, if the text does not define it */
    MSG_DURATION, /* the same for Duration */
    MSG_WSTRING,  /* known, but not supported */
    MSG_ABSENT,   /* the text has no such definition */
};

struct msg_word {
    const char *name;
    uint8_t meaning; /* a scalar, a string or a string of wide characters */
    uint8_t kind;    /* enum ach_kind */
};

/* NULL: it is not a word of the language. */
const struct msg_word *msg_word_find(const char *name);

/* The name of a scalar in the language. A char is read back as ACH_KIND_UINT8. */
const char *msg_scalar_name(unsigned kind);

#endif
