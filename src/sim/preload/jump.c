/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jump.c - a handler that jumps out of the simulation's own code
 *
 * The thread would count as being inside for ever, and its time would stand still. From a note to its
 * go handlers are blocked, so none is outstanding.
 */
#include <setjmp.h>

#include "preload.h"

#define JUMP(name, type)                                                                           \
    EXPORT void name(type to, int value) __attribute__((noreturn));                                \
    EXPORT void name(type to, int value)                                                           \
    {                                                                                              \
        achi_sim_jump();                                                                           \
        ((void (*)(type, int))achi_real(#name))(to, value);                                        \
        __builtin_unreachable();                                                                   \
    }

JUMP(longjmp, jmp_buf)
JUMP(_longjmp, jmp_buf)
JUMP(siglongjmp, sigjmp_buf)
JUMP(__longjmp_chk, jmp_buf)
