/* SPDX-License-Identifier: BSD-3-Clause */
/* base64.h - bytes as text, RFC 4648 */
#ifndef VALUE_BASE64_H
#define VALUE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void value_base64_write(const uint8_t *bytes, size_t size, FILE *to);

/*
 * Decode it, with or without '=' at the end; `out` has room for `size` bytes and may be the text.
 * False: not base64.
 */
bool value_base64_read(const char *text, size_t size, uint8_t *out, size_t *length);

#endif
