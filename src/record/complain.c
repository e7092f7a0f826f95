/* SPDX-License-Identifier: BSD-3-Clause */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* The line of the progress is removed first. */
void record_complain(const char *format, ...)
{
    va_list arguments;
    char text[512];

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(stderr, "%sach record: %s\n", isatty(STDERR_FILENO) ? "\r\x1b[K" : "", text);
}
