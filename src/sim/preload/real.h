/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * real.h - the original functions behind those that the preload library overrides
 *
 *     return REAL(nanosleep)(t, left);
 */
#ifndef SIMP_PRELOAD_REAL_H
#define SIMP_PRELOAD_REAL_H

/* The next definition of a name after this library's. Ends the process if there is none. */
void *simp_real(const char *name);

typedef void *simp_dlsym_fun(void *restrict handle, const char *restrict name);

/* dlsym of the C library. */
simp_dlsym_fun *simp_real_dlsym(void);

#define REAL(f)                                                                                    \
    __extension__({                                                                                \
        static __typeof__(&(f)) found;                                                             \
        if (__builtin_expect(!found, 0))                                                           \
            found = (__typeof__(&(f)))simp_real(#f);                                               \
        found;                                                                                     \
    })

#endif
