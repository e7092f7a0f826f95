/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json.h - write JSON to a stream, value by value
 *
 * The writer puts in the commas. A key is given with each value inside an
 * object and is NULL elsewhere. Objects and arrays nest up to JSON_DEPTH deep.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 8

struct json {
    FILE *out;
    int depth;
    bool filled[JSON_DEPTH + 1]; /* there is a value at this depth already */
};

#define JSON_INIT(stream)                                                                          \
    {                                                                                              \
        .out = (stream)                                                                            \
    }

void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end_object(struct json *j);
void json_end_array(struct json *j);

/* Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *j, const char *key, const char *text);
void json_bytes(struct json *j, const char *key, const char *text, size_t len);

/* A string of hexadecimal digits. */
void json_hex(struct json *j, const char *key, const void *data, size_t len);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);

/* Infinity and NaN become null. */
void json_number(struct json *j, const char *key, double value);
void json_null(struct json *j, const char *key);

/* Seconds and nanoseconds, without losing digits. */
void json_time(struct json *j, const char *key, int64_t seconds, long nanoseconds);

/* Write the key only; the caller writes the value itself. */
void json_key(struct json *j, const char *key);

/* End the line after a whole value. */
void json_line(struct json *j);

#endif
