/* SPDX-License-Identifier: BSD-3-Clause */
/* assets.h - the files of the page, built into the program by assets.py */
#ifndef VIEW_ASSETS_H
#define VIEW_ASSETS_H

#include <stddef.h>

struct view_asset {
    const char *path; /* of the address: "/page/app.js"; "/" for index.html */
    const char *type; /* as in the header Content-Type */
    const unsigned char *bytes;
    size_t size;
};

/* One without a path ends them. */
extern const struct view_asset view_assets[];

/* NULL: there is none. */
const struct view_asset *view_asset_find(const char *path);

#endif
