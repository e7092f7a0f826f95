/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jump.c - a signal handler that leaves the library's own code by longjmp
 *
 * Without simc_jump the thread would count as inside the library for ever, and its time would
 * stand still. Handlers are blocked between a note to the coordinator and its go, so at a jump no
 * go is outstanding.
 */
#include <setjmp.h>

#include "preload.h"

#define JUMP(name, type)                                                                           \
    EXPORT void name(type to, int value) __attribute__((noreturn));                                \
    EXPORT void name(type to, int value)                                                           \
    {                                                                                              \
        simc_jump();                                                                               \
        ((void (*)(type, int))simp_real(#name))(to, value);                                        \
        __builtin_unreachable();                                                                   \
    }

JUMP(longjmp, jmp_buf)
JUMP(_longjmp, jmp_buf)
JUMP(siglongjmp, sigjmp_buf)
JUMP(__longjmp_chk, jmp_buf)
