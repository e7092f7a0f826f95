/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * generic.h - bodies in a log for which no plan (plan.h) is defined
 *
 * All fields, in the order of the type's table and without loss. An array is its count and its
 * elements; a string is quoted; bytes are hexadecimal digits.
 */
#ifndef DRV_LOG_GENERIC_H
#define DRV_LOG_GENERIC_H

#include "text.h"

void drv_generic_write(struct drv_text *t, const ach_type_t *type, const void *body);

/* @body: must be zeroed; the memory it points to belongs to the words. */
ach_status_t drv_generic_read(struct drv_words *w, const ach_type_t *type, void *body);

#endif
