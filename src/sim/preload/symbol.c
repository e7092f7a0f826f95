/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol.c - programs that look up libach's functions by name, as ctypes in Python does */
#include <dlfcn.h>
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

/* What this library puts in front of libach. It comes first of all. */
static void *in_front(const char *name, void *found)
{
    void *ours = achi_real_dlsym()(RTLD_DEFAULT, name);

    return ours ? ours : found;
}

/*
 * What "next" means depends on who asks, which the C library sees by the return address:
 * therefore the jump.
 */
EXPORT WITH_JUMPS void *dlsym(void *restrict handle, const char *restrict name)
{
    if (handle != RTLD_NEXT && strncmp(name, "ach_", 4) == 0 && achi_sim_active()) {
        void *found = achi_real_dlsym()(handle, name);

        return found ? in_front(name, found) : NULL;
    }
    JUMP_TO achi_real_dlsym()(handle, name);
}
