/* SPDX-License-Identifier: BSD-3-Clause */
#include "fiber.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define STACK_SIZE (256u * 1024u)

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#endif

#if defined(FIBER_ASAN)

#include <sanitizer/common_interface_defs.h>

static void sanitizer_adopt(struct fiber *f)
{
    (void)f;
}

static void sanitizer_prepare(struct fiber *f)
{
    f->sanitizer = NULL;
}

static void sanitizer_leave(struct fiber *from, struct fiber *to, bool ends)
{
    __sanitizer_start_switch_fiber(ends ? NULL : &from->sanitizer, to->stack, to->stack_size);
}

static void sanitizer_arrive(struct fiber *f)
{
    __sanitizer_finish_switch_fiber(f->sanitizer, NULL, NULL);
}

#elif defined(FIBER_TSAN)

#include <sanitizer/tsan_interface.h>

static void sanitizer_adopt(struct fiber *f)
{
    f->sanitizer = __tsan_get_current_fiber();
}

static void sanitizer_prepare(struct fiber *f)
{
    /* A body never returns, so its old fiber still has a call stack in TSan: create a new one. */
    if (f->sanitizer)
        __tsan_destroy_fiber(f->sanitizer);
    f->sanitizer = __tsan_create_fiber(0);
}

static void sanitizer_leave(struct fiber *from, struct fiber *to, bool ends)
{
    (void)from;
    (void)ends;
    __tsan_switch_to_fiber(to->sanitizer, 0);
}

static void sanitizer_arrive(struct fiber *f)
{
    (void)f;
}

#else

static void sanitizer_adopt(struct fiber *f)
{
    (void)f;
}

static void sanitizer_prepare(struct fiber *f)
{
    (void)f;
}

static void sanitizer_leave(struct fiber *from, struct fiber *to, bool ends)
{
    (void)from;
    (void)to;
    (void)ends;
}

static void sanitizer_arrive(struct fiber *f)
{
    (void)f;
}

#endif

/* The fiber being switched to: makecontext passes only ints, so fiber_main reads it here. */
static struct fiber *starting;

static void fiber_main(void)
{
    struct fiber *self = starting;

    sanitizer_arrive(self);
    self->body(self->arg);
    abort();
}

void fiber_adopt(struct fiber *self)
{
    pthread_attr_t attr;

    if (pthread_getattr_np(pthread_self(), &attr) != 0 ||
        pthread_attr_getstack(&attr, &self->stack, &self->stack_size) != 0)
        abort();
    pthread_attr_destroy(&attr);
    sanitizer_adopt(self);
}

void fiber_prepare(struct fiber *f, void (*body)(void *), void *arg)
{
    if (!f->stack) {
        f->stack_size = STACK_SIZE;
        f->stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        if (f->stack == MAP_FAILED)
            abort();
    }
    f->body = body;
    f->arg = arg;
    sanitizer_prepare(f);
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = f->stack_size;
    f->context.uc_link = NULL;
    makecontext(&f->context, fiber_main, 0);
}

void fiber_switch(struct fiber *from, struct fiber *to, bool ends)
{
    starting = to;
    sanitizer_leave(from, to, ends);
    swapcontext(&from->context, &to->context);
    sanitizer_arrive(from);
}
