/* SPDX-License-Identifier: BSD-3-Clause */
/* text.h - a text that grows, and words taken from a line */
#ifndef ACHI_LOG_TEXT_H
#define ACHI_LOG_TEXT_H

#include <ach/message.h>

/* All zero: empty. */
struct achi_text {
    char *data;
    size_t size, room;
    bool failed; /* no memory: something is missing */
};

void achi_text_add(struct achi_text *t, const char *bytes, size_t n);
void achi_text_format(struct achi_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A blank, and these bytes between quotes, with escapes for what a line cannot have. */
void achi_text_quote(struct achi_text *t, const void *bytes, size_t n);

/* A blank, and these bytes as hexadecimal digits; no bytes are a dash. */
void achi_text_hex(struct achi_text *t, const void *bytes, size_t n);

/* What is left of a line, up to its end; and memory for what it says. */
struct achi_words {
    char *at, *end; /* *end is NUL */
    struct achi_piece *pieces;
};

/* The next word, or NULL. It is cut out of the line. */
char *achi_words_next(struct achi_words *w);
bool achi_words_left(struct achi_words *w);

/* The next word, which is quoted, without quotes and escapes. */
ach_status_t achi_words_quoted(struct achi_words *w, char **bytes, size_t *n);

/* The next word, hexadecimal digits, as bytes. */
ach_status_t achi_words_hex(struct achi_words *w, char **bytes, size_t *n);

/* Zeroed memory that is freed with all others. NULL: none, with ach_errstr. */
void *achi_words_memory(struct achi_words *w, size_t count, size_t size);
void achi_words_free(struct achi_words *w);

#endif
