/* SPDX-License-Identifier: BSD-3-Clause */
/* json_parse.h - a JSON text as a tree */
#ifndef VALUE_JSON_PARSE_H
#define VALUE_JSON_PARSE_H

#include <ach.h>

#include "value.h"

/*
 * Parse a whole text into a value. Follows RFC 8259, except that strings may contain bytes that
 * are not UTF-8. The text is copied. ACH_EINVAL: not JSON, ach_errstr has the byte;
 * ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status value_parse_json(struct value_arena *a, const char *text, size_t size,
                                 struct value *v);

#endif
