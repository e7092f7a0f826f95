/* SPDX-License-Identifier: BSD-3-Clause */
/* read.h - helpers of the functions that read a section */
#ifndef DEV_CONFIG_READ_H
#define DEV_CONFIG_READ_H

#include "tree.h"

/* The field, which counts as read from now on; NULL if there is none. */
struct dev_field *dev_section_use(struct ach_section *section, const char *name);

/* Record an error, once for a value or field. NULL value: the number of values is wrong. */
void dev_section_wrong(struct ach_section *section, struct dev_field *field,
                       struct dev_value *value, const char *expected);

/* Append the section as error messages name it: driver "p2os". */
void dev_section_label(const struct ach_section *section, struct dev_text *text);

#endif
