/* SPDX-License-Identifier: BSD-3-Clause */
/* name.h - channel names and the files that bear them */
#ifndef ACHI_NAME_H
#define ACHI_NAME_H

#include <ach.h>
#include <limits.h>

#define ACHI_FILE_PREFIX "achshm-"

/* Is it a channel name? ACH_OK, ACH_EINVAL, ACH_INVALID_NAME. */
enum ach_status achi_name_check(const char *name);

/* The directory of shared-memory channels. */
const char *achi_name_dir(void);

/* The file of a channel whose name was checked. */
enum ach_status achi_name_path(const char *name, char path[PATH_MAX]);

#endif
