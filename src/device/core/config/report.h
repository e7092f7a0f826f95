/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - errors and warnings about a configuration: lines with a place */
#ifndef DEV_CONFIG_REPORT_H
#define DEV_CONFIG_REPORT_H

#include "tree.h"

/* Enough for what dev_show_bytes writes. */
#define DEV_SHOWN 64

void dev_text_add(struct dev_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void dev_text_finish(struct dev_text *text);

/* Begin a line with "file:line:column: ". */
void dev_text_place(struct dev_text *text, struct dev_place at);

/*
 * Bytes of a file, fit for a terminal: long ones cut short, control characters
 * as question marks. Returns buffer.
 */
const char *dev_show_bytes(char buffer[DEV_SHOWN], const char *bytes, size_t length);

/* A value as in "the number 5". */
void dev_text_value(struct dev_text *text, const struct dev_value *value);

/* Keep the errors for ach_config_errors(NULL) of this thread. */
void dev_config_keep_errors(struct dev_text *errors);

#endif
