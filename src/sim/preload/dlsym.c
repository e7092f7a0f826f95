/* SPDX-License-Identifier: BSD-3-Clause */
/* dlsym.c - programs that look up functions by name, as ctypes in Python does */
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <string.h>

#include "preload.h"

/* Force a tail call, whatever the optimisation level. */
#ifdef __clang__
#define WITH_JUMPS
#define JUMP_TO __attribute__((musttail)) return
#else
#define WITH_JUMPS __attribute__((optimize("O2")))
#define JUMP_TO return
#endif

/* dlsym itself is overridden, so find the original with dlvsym. */
simp_dlsym_fun *simp_real_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    static simp_dlsym_fun *found;
    unsigned i;

    for (i = 0; !found && i < sizeof(versions) / sizeof(versions[0]); i++)
        found = (simp_dlsym_fun *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return found;
}

static void *own_handle(void)
{
    static void *handle;
    Dl_info own;

    if (!handle && dladdr((const void *)(uintptr_t)simp_real_dlsym, &own))
        handle = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return handle;
}

/* This library's version of the function, which RTLD_DEFAULT finds first. */
static void *in_front(const char *name, void *found)
{
    void *ours = simp_real_dlsym()(RTLD_DEFAULT, name);

    return ours ? ours : found;
}

/* Is found a function of libach or the C library? Other libraries may use the same names. */
static bool is_covered(const char *name, const void *found)
{
    Dl_info in, libc;

    if (strncmp(name, "ach_", 4) == 0)
        return true;
    return dladdr(found, &in) && dladdr((const void *)(uintptr_t)gnu_get_libc_version, &libc) &&
           in.dli_fbase == libc.dli_fbase && simp_real_dlsym()(own_handle(), name);
}

/*
 * RTLD_NEXT depends on the calling library, which the C library finds by the return address: so a
 * tail call must keep the caller's.
 */
EXPORT WITH_JUMPS void *dlsym(void *restrict handle, const char *restrict name)
{
    if (handle != RTLD_NEXT && simc_active()) {
        void *found = simp_real_dlsym()(handle, name);

        return found && is_covered(name, found) ? in_front(name, found) : found;
    }
    JUMP_TO simp_real_dlsym()(handle, name);
}
