/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config_lex.h - the words, numbers, strings and brackets of a file
 *
 * Lines end with LF, CR LF or CR; a byte order mark at the start is skipped.
 * Columns count characters of UTF-8. A string has no escapes and ends in its
 * line. What belongs to no token becomes one, so that the reader can say what
 * it expected instead.
 */
#ifndef ACHI_CONFIG_LEX_H
#define ACHI_CONFIG_LEX_H

#include "config_tree.h"

enum achi_token_kind {
    ACHI_END,
    ACHI_WORD,
    ACHI_TEXT, /* a string, without its quotes */
    ACHI_NUMERAL,
    ACHI_OPEN,    /* ( */
    ACHI_CLOSE,   /* ) */
    ACHI_BRACKET, /* [ */
    ACHI_FINISH,  /* ] */
    ACHI_ODD      /* anything else */
};

struct achi_token {
    enum achi_token_kind kind;
    struct achi_place at;
    const char *text; /* in the file's bytes */
    size_t length;
    bool fault; /* a string that does not end, or that has a NUL byte */
};

struct achi_lexer {
    const char *at, *end;
    struct achi_place place;
    struct achi_token token; /* the next one */
    int last_line;           /* the line of the one before it */
};

/* Begin with a file's bytes; the first token is there at once. */
void achi_lexer_init(struct achi_lexer *lexer, const char *file, const char *bytes, size_t size);

/* Go on to the next token. At the end it stays there. */
void achi_lexer_advance(struct achi_lexer *lexer);

bool achi_token_is(const struct achi_token *token, const char *word);

/* As in "found the number 5". */
void achi_token_show(const struct achi_token *token, struct achi_text *text);

/* The number of a numeral. False: no number, or none that a double can hold. */
bool achi_numeral(const char *text, double *number);

#endif
