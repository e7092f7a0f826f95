/* SPDX-License-Identifier: BSD-3-Clause */
#include "file.h"

#include <stdarg.h>
#include <stdio.h>

bool logs_fail(struct logs_file *f, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(f->error, sizeof(f->error), format, ap);
    va_end(ap);
    f->state = LOGS_DAMAGED;
    return false;
}

void logs_warn(struct logs_file *f, const char *format, ...)
{
    char text[2 * LOGS_ERROR_MAX];
    va_list ap;

    if (f->told)
        return;
    f->told = true;
    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    f->complain("%s", text);
}
