/* SPDX-License-Identifier: BSD-3-Clause */
/* text.h - a growing text buffer, and a splitter of lines into words */
#ifndef DRV_LOG_TEXT_H
#define DRV_LOG_TEXT_H

#include <ach/message.h>

/* All zero: empty. */
struct drv_text {
    char *data;
    size_t size, room;
    bool failed; /* out of memory: the text is incomplete */
};

void drv_text_add(struct drv_text *t, const char *bytes, size_t n);
void drv_text_format(struct drv_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Append a blank and the bytes in quotes; bytes that a line cannot contain are escaped. */
void drv_text_quote(struct drv_text *t, const void *bytes, size_t n);

/* Append a blank and the bytes as hexadecimal digits; a dash if n is 0. */
void drv_text_hex(struct drv_text *t, const void *bytes, size_t n);

/* The unread rest of a line, and the memory allocated for its values. */
struct drv_words {
    char *at, *end; /* *end is NUL */
    struct drv_piece *pieces;
};

/* The next word, NUL-terminated in place; NULL: none left. */
char *drv_words_next(struct drv_words *w);
bool drv_words_left(struct drv_words *w);

/* The next word, which must be quoted, without quotes and escapes. */
ach_status_t drv_words_quoted(struct drv_words *w, char **bytes, size_t *n);

/* The next word, hexadecimal digits, as bytes. */
ach_status_t drv_words_hex(struct drv_words *w, char **bytes, size_t *n);

/* Zeroed memory that drv_words_free frees. NULL: out of memory, with ach_errstr. */
void *drv_words_memory(struct drv_words *w, size_t count, size_t size);
void drv_words_free(struct drv_words *w);

#endif
