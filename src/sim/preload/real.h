/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * real.h - the functions behind those that the preload library puts in front
 *
 *     return REAL(nanosleep)(t, left);
 */
#ifndef ACHI_PRELOAD_REAL_H
#define ACHI_PRELOAD_REAL_H

/* The next definition of a name after this library's. Ends the process if there is none. */
void *achi_real(const char *name);

typedef void *achi_dlsym_fun(void *restrict handle, const char *restrict name);

/* That of the C library. */
achi_dlsym_fun *achi_real_dlsym(void);

#define REAL(f)                                                                                    \
    __extension__({                                                                                \
        static __typeof__(&(f)) found;                                                             \
        if (__builtin_expect(!found, 0))                                                           \
            found = (__typeof__(&(f)))achi_real(#f);                                               \
        found;                                                                                     \
    })

#endif
