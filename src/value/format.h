/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * format.h - write values: for people, as JSON, YAML and CSV
 *
 * No format writes control characters of strings as they are, so that all are safe on a terminal.
 * Bytes are written in base64. An enumeration is written as its name.
 */
#ifndef VALUE_FORMAT_H
#define VALUE_FORMAT_H

#include <stdio.h>

#include "value.h"

/*
 * For people: each member of an object on a line of its own, long lists shortened. What is not an
 * object is written as one line.
 */
void value_print(const struct value *v, unsigned indent, FILE *to);

/* On one line, without a newline. NaN is null, an infinity 1e999. */
void value_json(const struct value *v, FILE *to);

/* Lines of a document of YAML 1.1 and 1.2. */
void value_yaml(const struct value *v, FILE *to);

/*
 * One cell: quoted if necessary, control characters escaped as \x07. Null is empty. Lists and
 * objects are JSON.
 */
void value_csv(const struct value *v, FILE *to);

/* The same for a text, such as the name of a column. */
void value_csv_text(const char *text, size_t size, FILE *to);

#endif
