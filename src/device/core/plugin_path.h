/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plugin_path.h - the path of a plug-in for drivers, transports or physics engines
 *
 * A name with a / in it is a path. Other names are searched in ACH_PLUGIN_PATH, then in the
 * directory where plug-ins are installed.
 */
#ifndef DEV_PLUGIN_PATH_H
#define DEV_PLUGIN_PATH_H

#include <ach/status.h>
#include <stddef.h>

/* ACH_ENOENT, with ach_errstr: no readable file. */
ach_status_t dev_plugin_path(const char *name, char *path, size_t size);

#endif
