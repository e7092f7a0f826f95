/* SPDX-License-Identifier: BSD-3-Clause */
#include "refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload.h"

#define TEXT_MAX (SIMP_REFUSE_MAX + 512)

/* ACH_SIM_ALLOW is a list of names, separated by commas. */
static bool refuse_allowed(const char *call)
{
    const char *list = secure_getenv("ACH_SIM_ALLOW");
    size_t n = strcspn(call, " :"); /* "futex with an ...": its name only */

    for (; list && *list; list += strcspn(list, ",")) {
        list += *list == ',';
        if (strcspn(list, ",") == n && strncmp(list, call, n) == 0)
            return true;
    }
    return false;
}

/* Uses only functions that may be called in a signal handler. */
void simp_refuse(const char *call, const char *advice)
{
    const char *name = getenv("ACH_SIM_NAME");
    char text[TEXT_MAX];
    int n;

    if (refuse_allowed(call))
        return;
    n = snprintf(text, sizeof(text), "ach sim: controller %s: %s (process %d): refused: %s; %s\n",
                 name ? name : "?", program_invocation_name, (int)simc_pid(), call, advice);
    if (n >= (int)sizeof(text))
        n = (int)sizeof(text) - 1;
    simc_raw3(SYS_write, STDERR_FILENO, text, n);
    simc_refused();
    simc_raw3(SYS_exit_group, SIM_STATUS_REFUSED, 0, 0);
    __builtin_unreachable();
}
