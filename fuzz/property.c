/* SPDX-License-Identifier: BSD-3-Clause */
#include "property.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void property_fail(const char *file, int line, const char *what, enum ach_status status)
{
    fprintf(stderr, "%s:%d: does not hold: %s (%s)\n", file, line, what,
            ach_result_to_string(status));
    abort();
}
