/* SPDX-License-Identifier: BSD-3-Clause */
/* json_text.h - strings in JSON, for all reports of the benchmarks */
#ifndef BENCH_JSON_TEXT_H
#define BENCH_JSON_TEXT_H

#include <stdio.h>

/* NULL is written as an empty string. */
void json_string(FILE *f, const char *text);

/* "key": "text", and what separates it from the next member. */
void json_member(FILE *f, const char *key, const char *text);

#endif
