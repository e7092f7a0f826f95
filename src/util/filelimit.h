/* SPDX-License-Identifier: BSD-3-Clause */
/* filelimit.h - the limit of open files */
#ifndef FILELIMIT_H
#define FILELIMIT_H

#include <sys/resource.h>

/* Raise the soft limit, usually 1024, to the hard limit less `spare`. */
static inline void filelimit_raise(rlim_t spare)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max <= spare)
        return;
    files.rlim_cur = files.rlim_max - spare;
    setrlimit(RLIMIT_NOFILE, &files);
}

#endif
