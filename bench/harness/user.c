/* SPDX-License-Identifier: BSD-3-Clause */
/* user.c - channels of the benchmarks, and a process that uses one */
#include <ach/kernel.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

#define CHANNEL "op"

const char *kernel_missing(void)
{
    bool there = access(ACH_KERNEL_CONTROL, R_OK | W_OK) == 0;

    return there ? NULL : "the kernel module is not loaded, or not for us";
}

static void channel_unlink(void *name, size_t size)
{
    (void)size;
    MUST_ACH(ach_unlink(name));
}

static void channel_close(void *chan, size_t size)
{
    (void)size;
    MUST_ACH(ach_close(chan));
}

void channel_make(const char *name, size_t frames, size_t size, bool single_writer)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    MUST_ACH(ach_create_attr_set_truncate(&attr, 1));
    MUST_ACH(ach_create_attr_set_single_writer(&attr, single_writer));
    MUST_ACH(ach_create(name, frames, size, &attr));
    hold(channel_unlink, (void *)name, 0);
}

void channel_open(ach_channel_t *chan, const char *name, bool source, uint64_t spin_ns)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    MUST_ACH(ach_attr_set_lock_source(&attr, source));
    MUST_ACH(ach_attr_set_spin(&attr, spin_ns));
    MUST_ACH(ach_open(chan, name, &attr));
    MUST_ACH(ach_flush(chan));
    hold(channel_close, chan, 0);
}

void user_put(void *user, unsigned n)
{
    struct user *u = user;

    while (n--)
        if (ach_put(&u->chan, u->message, sizeof(u->message)) != ACH_OK)
            abort();
}

static inline void user_get(struct user *u, unsigned n, int options)
{
    size_t size;

    while (n--) {
        enum ach_status r = ach_get(&u->chan, u->message, sizeof(u->message), &size, NULL, options);

        if (r == ACH_MISSED_FRAME)
            u->missed++;
        else if (r != ACH_OK)
            abort();
    }
}

void user_get_last(void *user, unsigned n)
{
    user_get(user, n, ACH_O_LAST | ACH_O_COPY);
}

void user_get_next(void *user, unsigned n)
{
    user_get(user, n, 0);
}

static void user_check(void *user, size_t size)
{
    (void)size;
    MUST(((struct user *)user)->missed == 0);
}

void *user_setup(const struct op *op)
{
    struct user *u = private_alloc(sizeof(*u));

    channel_make(CHANNEL, op->frames, ACH_DEFAULT_FRAME_SIZE, false);
    channel_open(&u->chan, CHANNEL, false, 0);
    user_put(u, 1);
    u->missed = 0;
    hold(user_check, u, 0);
    return u;
}

void mutex_init(pthread_mutex_t *mutex, bool robust)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    MUST(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    if (robust) {
        MUST(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
        MUST(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
    }
    MUST(pthread_mutex_init(mutex, &attr) == 0);
    pthread_mutexattr_destroy(&attr);
}
