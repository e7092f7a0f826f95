/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fiber.h - several stacks in one thread
 *
 * The sanitizers are told of every switch, so that the shim runs under them.
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
    void *sanitizer; /* what the sanitizer keeps of a fiber that does not run */
};

/* The fiber that the caller runs in: the thread's own stack. */
void fiber_adopt(struct fiber *self);

/* Get a fiber ready to run body, which must end with a switch that says so. Keeps its stack. */
void fiber_prepare(struct fiber *f, void (*body)(void *), void *arg);

/* Go on in another fiber. ends: this one will not run again before it is prepared anew. */
void fiber_switch(struct fiber *from, struct fiber *to, bool ends);

#endif
