/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fiber.h - several stacks in one thread
 *
 * The sanitizers are notified of every switch, so that the shim runs under them.
 */
#ifndef SHIM_FIBER_H
#define SHIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

struct fiber {
    ucontext_t context;
    void *stack;
    size_t stack_size;
    void (*body)(void *);
    void *arg;
    void *sanitizer; /* the sanitizer's state of a suspended fiber */
};

/* The fiber that the caller runs in: the thread's own stack. */
void fiber_adopt(struct fiber *self);

/* Prepare a fiber to run body, which must end with fiber_switch(..., true). Reuses the stack. */
void fiber_prepare(struct fiber *f, void (*body)(void *), void *arg);

/* Switch to another fiber. ends: from does not run again until fiber_prepare. */
void fiber_switch(struct fiber *from, struct fiber *to, bool ends);

#endif
