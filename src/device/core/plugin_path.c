/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin_path.h"

#include <ach.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* DIR/NAME, DIR/NAME.so or DIR/libNAME.so. */
static bool in_dir(const char *dir, size_t length, const char *name, char *path, size_t size)
{
    static const char *const shapes[] = {"%.*s/%s", "%.*s/%s.so", "%.*s/lib%s.so"};
    size_t i;

    for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        int n = snprintf(path, size, shapes[i], (int)length, dir, name);
#pragma GCC diagnostic pop

        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static bool on_path(const char *dirs, const char *name, char *path, size_t size)
{
    while (dirs && *dirs) {
        size_t n = strcspn(dirs, ":");

        if (n && in_dir(dirs, n, name, path, size))
            return true;
        dirs += n + (dirs[n] == ':');
    }
    return false;
}

ach_status_t dev_plugin_path(const char *name, char *path, size_t size)
{
    if (strchr(name, '/')) {
        if (access(name, R_OK) != 0 || (size_t)snprintf(path, size, "%s", name) >= size)
            return ach_errstr_set(ACH_ENOENT, "there is no plug-in %s", name);
        return ACH_OK;
    }
    if (on_path(secure_getenv("ACH_PLUGIN_PATH"), name, path, size) ||
        on_path(ACHI_PLUGIN_DIR, name, path, size))
        return ACH_OK;
    return ach_errstr_set(ACH_ENOENT, "there is no plug-in %s in " ACHI_PLUGIN_DIR, name);
}
