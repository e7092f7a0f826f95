/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

enum mcap_result mcap_fault_say(struct mcap_fault *f, enum mcap_result result, const char *format,
                                ...)
{
    va_list args;

    if (f->text[0])
        return result;
    va_start(args, format);
    vsnprintf(f->text, sizeof(f->text), format, args);
    va_end(args);
    return result;
}
