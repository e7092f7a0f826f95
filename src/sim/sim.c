/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.c - failing a run */
#include <stdarg.h>
#include <stdio.h>

#include "sim.h"

bool sim_fail(struct sim_sim *s, const char *format, ...)
{
    va_list args;

    if (!s->failed && !s->over) {
        va_start(args, format);
        vsnprintf(s->why, sizeof(s->why), format, args);
        va_end(args);
        s->failed = true;
    }
    s->over = true;
    return false;
}
