/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include <math.h>
#include <string.h>

#include "json_text.h"

static void begin_value(struct json *j, const char *key)
{
    if (j->filled[j->depth])
        fputs(", ", j->out);
    j->filled[j->depth] = true;
    if (key) {
        json_text_write(j->out, key, strlen(key));
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

void json_bytes(struct json *j, const char *key, const char *text, size_t len)
{
    begin_value(j, key);
    json_text_write(j->out, text, len);
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
