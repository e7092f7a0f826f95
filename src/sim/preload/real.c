/* SPDX-License-Identifier: BSD-3-Clause */
#include "real.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBACH "libach.so.5"

/* Some systems keep condition variables of long ago under the same names. */
static void *next(const char *name)
{
    void *p = NULL;

    if (strncmp(name, "pthread_cond_", 13) == 0)
        p = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return p ? p : achi_real_dlsym()(RTLD_NEXT, name);
}

/* A libach that came with a plug-in is not where the dynamic linker looks next. */
static void *in_plugin(const char *name)
{
    void *lib;

    if (strncmp(name, "ach_", 4) != 0)
        return NULL;
    lib = dlopen(LIBACH, RTLD_LAZY | RTLD_NOLOAD);
    return lib ? achi_real_dlsym()(lib, name) : NULL;
}

void *achi_real(const char *name)
{
    void *p = next(name);

    if (!p)
        p = in_plugin(name);
    if (!p) {
        fprintf(stderr, "libachsim-preload: there is no %s\n", name);
        abort();
    }
    return p;
}
