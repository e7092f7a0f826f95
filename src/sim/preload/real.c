/* SPDX-License-Identifier: BSD-3-Clause */
#include "real.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBACH "libach.so.5"

/* Some systems also have obsolete pthread_cond_* under the same names: ask for GLIBC_2.3.2. */
static void *next(const char *name)
{
    void *p = NULL;

    if (strncmp(name, "pthread_cond_", 13) == 0)
        p = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return p ? p : simp_real_dlsym()(RTLD_NEXT, name);
}

/* RTLD_NEXT does not find a libach that was loaded with a plug-in. */
static void *in_plugin(const char *name)
{
    void *lib;

    if (strncmp(name, "ach_", 4) != 0)
        return NULL;
    lib = dlopen(LIBACH, RTLD_LAZY | RTLD_NOLOAD);
    return lib ? simp_real_dlsym()(lib, name) : NULL;
}

void *simp_real(const char *name)
{
    void *p = next(name);

    if (!p)
        p = in_plugin(name);
    if (!p) {
        fprintf(stderr, "libachsim-preload: function %s not found\n", name);
        abort();
    }
    return p;
}
