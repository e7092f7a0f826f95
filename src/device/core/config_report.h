/* SPDX-License-Identifier: BSD-3-Clause */
/* config_report.h - what is said about a configuration: lines with a place */
#ifndef ACHI_CONFIG_REPORT_H
#define ACHI_CONFIG_REPORT_H

#include "config_tree.h"

/* Enough for what achi_show writes. */
#define ACHI_SHOWN 64

void achi_text_add(struct achi_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void achi_text_finish(struct achi_text *text);

/* Begin a line with "file:line:column: ". */
void achi_text_place(struct achi_text *text, struct achi_place at);

/*
 * Bytes of a file, fit for a terminal: long ones cut short, control characters
 * as question marks. Returns buffer.
 */
const char *achi_show(char buffer[ACHI_SHOWN], const char *bytes, size_t length);

/* A value as in "the number 5". */
void achi_text_value(struct achi_text *text, const struct achi_value *value);

/* Keep the errors for ach_config_errors(NULL) of this thread. */
void achi_config_keep_errors(struct achi_text *errors);

#endif
