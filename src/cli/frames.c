/* SPDX-License-Identifier: BSD-3-Clause */
#include "frames.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256

static bool need(struct message *m, size_t room)
{
    size_t bigger = m->room ? m->room : FIRST_ROOM;
    unsigned char *data;

    if (room <= m->room)
        return true;
    while (bigger < room)
        bigger = bigger > SIZE_MAX / 2 ? room : bigger * 2;
    data = realloc(m->data, bigger);
    if (!data)
        return false;
    m->data = data;
    m->room = bigger;
    return true;
}

bool set_message(struct message *m, const void *data, size_t len)
{
    if (!need(m, len + 1))
        return false;
    memcpy(m->data, data, len);
    m->len = len;
    return true;
}

static enum taken at_end(FILE *in, enum taken otherwise)
{
    return ferror(in) ? TAKEN_ERROR : otherwise;
}

/* Read up to a delimiter, or up to the end if the delimiter is EOF. */
static enum taken take_until(FILE *in, int delimiter, size_t limit, struct message *m)
{
    int c;

    m->len = 0;
    while ((c = getc_unlocked(in)) != EOF) {
        if (c == delimiter && m->len > 0)
            return TAKEN_MESSAGE;
        if (c == delimiter)
            continue;
        if (m->len == limit)
            return TAKEN_TOO_LONG;
        if (!need(m, m->len + 1))
            return TAKEN_ERROR;
        m->data[m->len++] = (unsigned char)c;
    }
    return at_end(in, m->len ? TAKEN_MESSAGE : TAKEN_END);
}

static enum taken take_counted(FILE *in, size_t limit, struct message *m)
{
    unsigned char head[4];
    size_t n = fread(head, 1, sizeof(head), in);

    if (n < sizeof(head))
        return at_end(in, n ? TAKEN_PARTIAL : TAKEN_END);
    m->len = (size_t)head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    if (m->len == 0)
        return TAKEN_EMPTY;
    if (m->len > limit)
        return TAKEN_TOO_LONG;
    if (!need(m, m->len))
        return TAKEN_ERROR;
    if (fread(m->data, 1, m->len, in) != m->len)
        return at_end(in, TAKEN_PARTIAL);
    return TAKEN_MESSAGE;
}

enum taken take_message(FILE *in, enum framing framing, size_t limit, struct message *m)
{
    switch (framing) {
    case FRAMES_LINE:
        return take_until(in, '\n', limit, m);
    case FRAMES_NULL:
        return take_until(in, '\0', limit, m);
    case FRAMES_LENGTH:
        return take_counted(in, limit, m);
    default:
        return take_until(in, EOF, limit, m);
    }
}

static bool give_length(FILE *out, size_t len)
{
    unsigned char head[4] = {(unsigned char)len, (unsigned char)(len >> 8),
                             (unsigned char)(len >> 16), (unsigned char)(len >> 24)};

    if (len > UINT32_MAX) {
        errno = EFBIG;
        return false;
    }
    return fwrite(head, 1, sizeof(head), out) == sizeof(head);
}

bool give_message(FILE *out, enum framing framing, const void *data, size_t len)
{
    if (framing == FRAMES_LENGTH && !give_length(out, len))
        return false;
    if (fwrite(data, 1, len, out) != len)
        return false;
    if (framing == FRAMES_LINE)
        return putc('\n', out) != EOF;
    if (framing == FRAMES_NULL)
        return putc('\0', out) != EOF;
    return true;
}

bool give_hex(FILE *out, const void *data, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = data;
    size_t i;

    for (i = 0; i < len; i++) {
        putc(digits[bytes[i] >> 4], out);
        putc(digits[bytes[i] & 15], out);
    }
    return putc('\n', out) != EOF && !ferror(out);
}

static int digit_value(unsigned char c)
{
    return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

bool decode_hex(struct message *m)
{
    size_t i, digits = 0;

    for (i = 0; i < m->len; i++) {
        unsigned char c = m->data[i];

        if (isspace(c))
            continue;
        if (!isxdigit(c))
            return false;
        if (digits % 2 == 0)
            m->data[digits / 2] = (unsigned char)(digit_value(c) << 4);
        else
            m->data[digits / 2] |= (unsigned char)digit_value(c);
        digits++;
    }
    m->len = digits / 2;
    return digits > 0 && digits % 2 == 0;
}
