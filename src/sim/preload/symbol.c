/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol.c - programs that look up functions by name, as ctypes in Python does */
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <string.h>

#include "preload.h"

/* A call at the end of a function that is a jump, however the compiler is told to optimise. */
#ifdef __clang__
#define WITH_JUMPS
#define JUMP_TO __attribute__((musttail)) return
#else
#define WITH_JUMPS __attribute__((optimize("O2")))
#define JUMP_TO return
#endif

/* dlsym cannot be asked for itself. */
achi_dlsym_fun *achi_real_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    static achi_dlsym_fun *found;
    unsigned i;

    for (i = 0; !found && i < sizeof(versions) / sizeof(versions[0]); i++)
        found = (achi_dlsym_fun *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return found;
}

static void *own_handle(void)
{
    static void *handle;
    Dl_info own;

    if (!handle && dladdr((const void *)(uintptr_t)achi_real_dlsym, &own))
        handle = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return handle;
}

/* What this library puts in front of libach. It comes first of all. */
static void *in_front(const char *name, void *found)
{
    void *ours = achi_real_dlsym()(RTLD_DEFAULT, name);

    return ours ? ours : found;
}

/* Functions of libach, and of the C library; others may use the same names. */
static bool is_covered(const char *name, const void *found)
{
    Dl_info in, libc;

    if (strncmp(name, "ach_", 4) == 0)
        return true;
    return dladdr(found, &in) && dladdr((const void *)(uintptr_t)gnu_get_libc_version, &libc) &&
           in.dli_fbase == libc.dli_fbase && achi_real_dlsym()(own_handle(), name);
}

/*
 * What "next" means depends on who asks, which the C library sees by the return address:
 * therefore the jump.
 */
EXPORT WITH_JUMPS void *dlsym(void *restrict handle, const char *restrict name)
{
    if (handle != RTLD_NEXT && achi_sim_active()) {
        void *found = achi_real_dlsym()(handle, name);

        return found && is_covered(name, found) ? in_front(name, found) : found;
    }
    JUMP_TO achi_real_dlsym()(handle, name);
}
