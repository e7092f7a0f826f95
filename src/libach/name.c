/* SPDX-License-Identifier: BSD-3-Clause */
#include "name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define DEFAULT_DIR "/dev/shm"

/* ASCII only, whatever the locale. */
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

enum ach_status achi_name_check(const char *name)
{
    size_t len;

    if (!name)
        return achi_fail(ACH_EINVAL, "the channel name is NULL");
    len = strnlen(name, ACH_CHAN_NAME_MAX);
    if (len == 0)
        return achi_fail(ACH_INVALID_NAME, "the channel name is empty");
    if (len >= ACH_CHAN_NAME_MAX)
        return achi_fail(ACH_INVALID_NAME, "the channel name is longer than %lu characters",
                         ACH_CHAN_NAME_MAX - 1);
    if (name[0] == '.' || name[strspn(name, letters)] != '\0')
        return achi_fail(ACH_INVALID_NAME,
                         "'%s' is not a channel name: use letters, digits, '.', '_' and '-', "
                         "and do not begin with a dot",
                         name);
    return ACH_OK;
}

const char *achi_name_dir(void)
{
    const char *dir = secure_getenv("ACH_DIR");

    return dir && *dir ? dir : DEFAULT_DIR;
}

enum ach_status achi_name_path(const char *name, char path[PATH_MAX])
{
    int n = snprintf(path, PATH_MAX, "%s/" ACHI_FILE_PREFIX "%s", achi_name_dir(), name);

    if (n < 0 || n >= PATH_MAX)
        return achi_fail(ACH_EINVAL, "the directory in ACH_DIR has too long a name");
    return ACH_OK;
}

enum ach_status ach_channel_path(const char *name, char *path, size_t size)
{
    char full[PATH_MAX];
    enum ach_status r = achi_name_check(name);

    if (r != ACH_OK)
        return r;
    if (!path)
        return ACH_EINVAL;
    r = achi_name_path(name, full);
    if (r != ACH_OK)
        return r;
    if (strlen(full) >= size)
        return ACH_OVERFLOW;
    strcpy(path, full);
    return ACH_OK;
}
