/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * generic.h - bodies in a log whose format nobody has defined
 *
 * All fields in the order of the table, exactly. An array is its count and its
 * elements; a string is quoted; bytes are hexadecimal digits.
 */
#ifndef ACHI_LOG_GENERIC_H
#define ACHI_LOG_GENERIC_H

#include "text.h"

void achi_generic_write(struct achi_text *t, const ach_type_t *type, const void *body);

/* @body: zeroed; what it points to lasts as long as the words. */
ach_status_t achi_generic_read(struct achi_words *w, const ach_type_t *type, void *body);

#endif
