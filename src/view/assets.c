/* SPDX-License-Identifier: BSD-3-Clause */
#include "assets.h"

#include <string.h>

const struct view_asset *view_asset_find(const char *path)
{
    const struct view_asset *a = view_assets;

    while (a->path && strcmp(a->path, path) != 0)
        a++;
    return a->path ? a : NULL;
}
