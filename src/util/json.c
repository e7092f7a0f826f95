/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include <math.h>
#include <string.h>

static void put_bytes(struct json *j, const char *text, size_t len);

static void begin_value(struct json *j, const char *key)
{
    if (j->filled[j->depth])
        fputs(", ", j->out);
    j->filled[j->depth] = true;
    if (key) {
        put_bytes(j, key, strlen(key));
        fputs(": ", j->out);
    }
}

void json_key(struct json *j, const char *key)
{
    begin_value(j, key);
}

static void open_nest(struct json *j, const char *key, char bracket)
{
    begin_value(j, key);
    putc(bracket, j->out);
    if (j->depth < JSON_DEPTH)
        j->depth++;
    j->filled[j->depth] = false;
}

static void close_nest(struct json *j, char bracket)
{
    putc(bracket, j->out);
    if (j->depth > 0)
        j->depth--;
}

void json_object(struct json *j, const char *key)
{
    open_nest(j, key, '{');
}

void json_array(struct json *j, const char *key)
{
    open_nest(j, key, '[');
}

void json_end_object(struct json *j)
{
    close_nest(j, '}');
}

void json_end_array(struct json *j)
{
    close_nest(j, ']');
}

/* How many bytes the first one announces; 0 if no character begins with it. */
static size_t utf8_announced(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

size_t utf8_length(const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t i, n = len ? utf8_announced(s[0]) : 0;

    if (n > len)
        return 0;
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Overlong forms, surrogates, and what lies beyond Unicode. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static void put_character(struct json *j, const char *c, size_t n)
{
    if (n == 0)
        fputs("\\ufffd", j->out);
    else if (n > 1)
        fwrite(c, 1, n, j->out);
    else if (*c == '"' || *c == '\\')
        fprintf(j->out, "\\%c", *c);
    else if ((unsigned char)*c < 0x20 || *c == 0x7f)
        fprintf(j->out, "\\u%04x", (unsigned)*c);
    else
        putc(*c, j->out);
}

static void put_bytes(struct json *j, const char *text, size_t len)
{
    size_t i = 0;

    putc('"', j->out);
    while (i < len) {
        size_t n = utf8_length(text + i, len - i);

        put_character(j, text + i, n);
        i += n ? n : 1;
    }
    putc('"', j->out);
}

void json_bytes(struct json *j, const char *key, const char *text, size_t len)
{
    begin_value(j, key);
    put_bytes(j, text, len);
}

void json_string(struct json *j, const char *key, const char *text)
{
    json_bytes(j, key, text, strlen(text));
}

void json_hex(struct json *j, const char *key, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    size_t i;

    begin_value(j, key);
    putc('"', j->out);
    for (i = 0; i < len; i++)
        fprintf(j->out, "%02x", bytes[i]);
    putc('"', j->out);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin_value(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
    begin_value(j, key);
    fputs("null", j->out);
}

void json_number(struct json *j, const char *key, double value)
{
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    begin_value(j, key);
    fprintf(j->out, "%.9g", value);
}

void json_time(struct json *j, const char *key, int64_t seconds, long nanoseconds)
{
    begin_value(j, key);
    fprintf(j->out, "%lld.%09ld", (long long)seconds, nanoseconds);
}

void json_line(struct json *j)
{
    putc('\n', j->out);
    j->depth = 0;
    j->filled[0] = false;
}
