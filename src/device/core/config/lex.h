/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lex.h - the words, numbers, strings and brackets of a file
 *
 * Lines end with LF, CR LF or CR; a byte order mark at the start is skipped.
 * Columns count characters of UTF-8. A string has no escapes and ends in its
 * line. Bytes that belong to no token become a DEV_ODD token, so that the parser
 * can report what it expected instead.
 */
#ifndef DEV_CONFIG_LEX_H
#define DEV_CONFIG_LEX_H

#include "tree.h"

enum dev_token_kind {
    DEV_END,
    DEV_WORD,
    DEV_TEXT, /* a string, without its quotes */
    DEV_NUMERAL,
    DEV_OPEN,    /* ( */
    DEV_CLOSE,   /* ) */
    DEV_BRACKET, /* [ */
    DEV_FINISH,  /* ] */
    DEV_ODD      /* anything else */
};

struct dev_token {
    enum dev_token_kind kind;
    struct dev_place at;
    const char *text; /* points into the file's bytes */
    size_t length;
    bool fault; /* a string that does not end, or that has a NUL byte */
};

struct dev_lexer {
    const char *at, *end;
    struct dev_place place;
    struct dev_token token; /* the next one */
    int last_line;          /* the line of the one before it */
};

/* Begin with a file's bytes; the first token is there at once. */
void dev_lexer_init(struct dev_lexer *lexer, const char *file, const char *bytes, size_t size);

/* Go on to the next token. At the end it stays there. */
void dev_lexer_advance(struct dev_lexer *lexer);

bool dev_token_is(const struct dev_token *token, const char *word);

/* Append the token as error messages show it. */
void dev_token_show(const struct dev_token *token, struct dev_text *text);

/* The number of a numeral. False: no number, or none that a double can hold. */
bool dev_numeral(const char *text, double *number);

#endif
