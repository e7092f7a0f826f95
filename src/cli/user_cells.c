/* SPDX-License-Identifier: BSD-3-Clause */
#include "user_cells.h"

#include <stdio.h>
#include <stdlib.h>

void users_cell(struct table *t, const struct users *u, const char *channel, const ach_info_t *info,
                bool writes)
{
    const char *between = "";
    char *text = NULL;
    size_t i, length;
    FILE *out = open_memstream(&text, &length);

    for (i = 0; out && i < u->n; i++) {
        const struct user *user = &u->items[i];

        if (user->writes != writes || !users_match(user, channel, info))
            continue;
        fprintf(out, "%s%s:%d", between, user->process, (int)user->pid);
        between = ",";
    }
    if (out)
        fclose(out);
    table_cell(t, "%s", *between ? text : "-");
    free(text);
}
