/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_none.c - a build without devices writes no logs of them */
#include "lines.h"

bool logs_lines_available(void)
{
    return false;
}

void logs_lines_head(FILE *to)
{
    (void)to;
}

enum logs_line logs_line_write(FILE *to, const struct logs_message *m)
{
    (void)to;
    (void)m;
    return LOGS_LINE_NONE;
}
