/* SPDX-License-Identifier: BSD-3-Clause */
#include "refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload.h"

#define TEXT_MAX (ACHI_REFUSE_MAX + 512)

/* A word of the list that ACH_SIM_ALLOW is. */
bool achi_allowed(const char *call)
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

/* With no more of the C library than a signal handler may call. */
void achi_refuse(const char *call, const char *advice)
{
    const char *name = getenv("ACH_SIM_NAME");
    char text[TEXT_MAX];
    int n;

    if (achi_allowed(call))
        return;
    n = snprintf(text, sizeof(text), "ach sim: controller %s: %s (process %d): refused: %s; %s\n",
                 name ? name : "?", program_invocation_name, (int)achi_sim_pid(), call, advice);
    if (n >= (int)sizeof(text))
        n = (int)sizeof(text) - 1;
    achi_raw3(SYS_write, STDERR_FILENO, text, n);
    achi_sim_refused();
    achi_raw3(SYS_exit_group, ACHI_STATUS_REFUSED, 0, 0);
    __builtin_unreachable();
}
