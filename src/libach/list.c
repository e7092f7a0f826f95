/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - the channels that have a name */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "name.h"

static int is_channel(const struct dirent *e)
{
    const size_t prefix = strlen(ACHI_FILE_PREFIX);

    return strncmp(e->d_name, ACHI_FILE_PREFIX, prefix) == 0 &&
           achi_name_check(e->d_name + prefix) == ACH_OK;
}

enum ach_status ach_list(ach_list_fun *fun, void *cx)
{
    struct dirent **found;
    enum ach_status r = ACH_OK;
    int i, n;

    if (!fun)
        return achi_fail(ACH_EINVAL, "ach_list needs a function to call");
    n = scandir(achi_name_dir(), &found, is_channel, alphasort);
    if (n < 0)
        return achi_fail_errno("cannot list %s", achi_name_dir());
    for (i = 0; i < n; i++) {
        if (r == ACH_OK)
            r = fun(cx, found[i]->d_name + strlen(ACHI_FILE_PREFIX), ACH_MAP_USER);
        free(found[i]);
    }
    free(found);
    return r;
}
