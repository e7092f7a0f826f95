/* SPDX-License-Identifier: BSD-3-Clause */
/* config_read.h - what reading a section needs */
#ifndef ACHI_CONFIG_READ_H
#define ACHI_CONFIG_READ_H

#include "config_tree.h"

/* The field, which counts as read from now on; NULL if there is none. */
struct achi_field *achi_section_use(struct ach_section *section, const char *name);

/* Remember an error; a NULL value: there are too many, or none. One error is told of a field. */
void achi_section_wrong(struct ach_section *section, struct achi_field *field,
                        struct achi_value *value, const char *expected);

/* The section as a person calls it: driver "p2os". */
void achi_section_label(const struct ach_section *section, struct achi_text *text);

#endif
