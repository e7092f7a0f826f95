/* SPDX-License-Identifier: BSD-3-Clause */
/* literal.h - constants of a definition, and texts, as literals of C */
#ifndef GEN_LITERAL_H
#define GEN_LITERAL_H

#include <stdio.h>

#include "../parse.h"

/* Write a text of size bytes as a literal of C, each line on its own. */
void gen_literal_text(FILE *out, const char *text, size_t size, const char *indent);

/* Write the value of a constant. ACH_EINVAL: it does not fit its type. */
enum ach_status gen_literal_value(FILE *out, const struct msg_field *constant);

#endif
