/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <ach.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct drv_text *t, size_t n)
{
    size_t room = t->room ? t->room : 4096;
    char *more;

    while (room - t->size <= n)
        room *= 2;
    if (room == t->room)
        return true;
    more = realloc(t->data, room);
    if (!more) {
        t->failed = true;
        return false;
    }
    t->data = more;
    t->room = room;
    return true;
}

void drv_text_add(struct drv_text *t, const char *bytes, size_t n)
{
    if (!make_room(t, n))
        return;
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
}

void drv_text_format(struct drv_text *t, const char *format, ...)
{
    va_list ap;
    int n;

    if (!make_room(t, 512)) /* the longest number has 310 digits before its point */
        return;
    va_start(ap, format);
    n = vsnprintf(t->data + t->size, t->room - t->size, format, ap);
    va_end(ap);
    if (n > 0 && (size_t)n < t->room - t->size)
        t->size += (size_t)n;
    else
        t->failed = true;
}

void drv_text_quote(struct drv_text *t, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    size_t i;

    drv_text_add(t, " '", 2);
    for (i = 0; i < n; i++) {
        if (b[i] == '\'' || b[i] == '\\' || b[i] < ' ' || b[i] > '~')
            drv_text_format(t, "\\x%02x", b[i]);
        else
            drv_text_add(t, (const char *)&b[i], 1);
    }
    drv_text_add(t, "'", 1);
}

void drv_text_hex(struct drv_text *t, const void *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *b = bytes;
    size_t i;

    drv_text_add(t, n ? " " : " -", n ? 1 : 2);
    if (!make_room(t, 2 * n))
        return;
    for (i = 0; i < n; i++) {
        t->data[t->size++] = digits[b[i] >> 4];
        t->data[t->size++] = digits[b[i] & 15];
    }
}

/* Memory for values of a line. */
struct drv_piece {
    struct drv_piece *next;
    _Alignas(16) char memory[];
};

void *drv_words_memory(struct drv_words *w, size_t count, size_t size)
{
    struct drv_piece *p = NULL;

    if (count <= ACH_BODY_MAX && (!count || size <= ((size_t)1 << 31) / count))
        p = calloc(1, sizeof(*p) + count * size);
    if (!p) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for %zu elements", count);
        return NULL;
    }
    p->next = w->pieces;
    w->pieces = p;
    return p->memory;
}

void drv_words_free(struct drv_words *w)
{
    while (w->pieces) {
        struct drv_piece *p = w->pieces;

        w->pieces = p->next;
        free(p);
    }
}

bool drv_words_left(struct drv_words *w)
{
    while (w->at < w->end && isspace((unsigned char)*w->at))
        w->at++;
    return w->at < w->end;
}

char *drv_words_next(struct drv_words *w)
{
    char *word;

    if (!drv_words_left(w))
        return NULL;
    word = w->at;
    while (w->at < w->end && !isspace((unsigned char)*w->at))
        w->at++;
    if (w->at < w->end)
        *w->at++ = '\0';
    return word;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* A byte in two digits, or -1. The text ends in NUL, which is no digit. */
static int byte_of(const char *two)
{
    int high = digit(two[0]), low = high < 0 ? -1 : digit(two[1]);

    return low < 0 ? -1 : high << 4 | low;
}

/* Unescapes in place: the result is never longer than the source. */
ach_status_t drv_words_quoted(struct drv_words *w, char **bytes, size_t *n)
{
    char *to;

    if (!drv_words_left(w) || *w->at != '\'')
        return ach_errstr_set(ACH_EINVAL, "expected a text in single quotes");
    *bytes = to = ++w->at;
    while (w->at < w->end && *w->at != '\'') {
        int escaped = w->at[0] == '\\' && w->at[1] == 'x' ? byte_of(w->at + 2) : -1;

        *to++ = escaped < 0 ? *w->at : (char)escaped;
        w->at += escaped < 0 ? 1 : 4;
    }
    if (w->at == w->end)
        return ach_errstr_set(ACH_EINVAL, "a quote is not closed");
    w->at++;
    *n = (size_t)(to - *bytes);
    return ACH_OK;
}

ach_status_t drv_words_hex(struct drv_words *w, char **bytes, size_t *n)
{
    char *word = drv_words_next(w), *to = word;

    if (!word)
        return ach_errstr_set(ACH_EINVAL, "the line ends where bytes are expected");
    *bytes = word;
    *n = 0;
    if (strcmp(word, "-") == 0)
        return ACH_OK;
    for (; *word; word += 2) {
        int byte = byte_of(word);

        if (byte < 0)
            return ach_errstr_set(ACH_EINVAL, "bytes are not pairs of hexadecimal digits");
        *to++ = (char)byte;
    }
    *n = (size_t)(to - *bytes);
    return ACH_OK;
}
