/* SPDX-License-Identifier: BSD-3-Clause */
/* formats.h - write a value in all formats */
#ifndef FORMATS_H
#define FORMATS_H

#include "value.h"

/* None of them writes a control character. Returns the JSON text, to be freed. */
char *formats_write(const struct value *v);

/* Find each field of a value by its path. */
void formats_find(const struct value *v);

#endif
