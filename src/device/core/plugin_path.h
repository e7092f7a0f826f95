/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plugin_path.h - where a plug-in is, of drivers, transports or physics engines
 *
 * A name with a / in it is a path. Others are looked for in ACH_PLUGIN_PATH, and then where
 * plug-ins are installed.
 */
#ifndef ACHI_PLUGIN_PATH_H
#define ACHI_PLUGIN_PATH_H

#include <ach/status.h>
#include <stddef.h>

/* ACH_ENOENT, with ach_errstr, if there is none that can be read. */
ach_status_t achi_plugin_path(const char *name, char *path, size_t size);

#endif
