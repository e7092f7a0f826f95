/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.h - write a log of devices (docs/device-log-format.md) */
#ifndef LOGS_LINES_H
#define LOGS_LINES_H

#include <stdio.h>

#include "logs.h"

/* Does this build write such logs? */
bool logs_lines_available(void);

/* The lines at the head. */
void logs_lines_head(FILE *to);

enum logs_line {
    LOGS_LINE_WRITTEN,
    LOGS_LINE_NONE, /* a request, a command, or a message of the server: such logs do not have them */
    LOGS_LINE_WRONG, /* no message of a device, see ach_errstr */
};

/* Write a message of a device, data or an answer. */
enum logs_line logs_line_write(FILE *to, const struct logs_message *m);

#endif
