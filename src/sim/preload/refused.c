/* SPDX-License-Identifier: BSD-3-Clause */
/* refused.c - functions of the C library that are refused: they would complete in real time */
#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <sched.h>
#include <stdarg.h>

#include "preload.h"
#include "refuse.h"

#define THREAD "use read or write in a thread"

static void refuse(const char *call, const char *advice)
{
    if (simc_active())
        simp_refuse(call, advice);
}

#define REFUSED(name, advice, parameters, arguments)                                               \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        refuse(#name, advice);                                                                     \
        return REAL(name) arguments;                                                               \
    }

/* Not all machines declare the names with 64 separately: declare them here. */
int aio_read64(struct aiocb64 *io);
int aio_write64(struct aiocb64 *io);
int aio_fsync64(int operation, struct aiocb64 *io);
int aio_suspend64(const struct aiocb64 *const list[], int n, const struct timespec *t);
int lio_listio64(int mode, struct aiocb64 *const list[], int n, struct sigevent *event);

REFUSED(aio_read64, THREAD, (struct aiocb64 * io), (io))
REFUSED(aio_write64, THREAD, (struct aiocb64 * io), (io))
REFUSED(aio_fsync64, THREAD, (int operation, struct aiocb64 *io), (operation, io))
REFUSED(aio_suspend64, THREAD,
        (const struct aiocb64 *const list[], int n, const struct timespec *t), (list, n, t))
REFUSED(lio_listio64, THREAD,
        (int mode, struct aiocb64 *const list[], int n, struct sigevent *event),
        (mode, list, n, event))

/* With _FILE_OFFSET_BITS of 64 the headers give the plain names to the functions above. */
#define PLAIN(name, plain, parameters, arguments)                                                  \
    EXPORT int name parameters __asm__(plain);                                                     \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        refuse(plain, THREAD);                                                                     \
        return ((__typeof__(&name))simp_real(plain))arguments;                                     \
    }

PLAIN(plain_aio_read, "aio_read", (void *io), (io))
PLAIN(plain_aio_write, "aio_write", (void *io), (io))
PLAIN(plain_aio_fsync, "aio_fsync", (int operation, void *io), (operation, io))
PLAIN(plain_aio_suspend, "aio_suspend", (const void *list, int n, const struct timespec *t),
      (list, n, t))
PLAIN(plain_lio_listio, "lio_listio", (int mode, const void *list, int n, struct sigevent *event),
      (mode, list, n, event))

REFUSED(getaddrinfo_a, "use getaddrinfo in a thread",
        (int mode, struct gaicb *list[restrict], int n, struct sigevent *restrict event),
        (mode, list, n, event))
REFUSED(gai_suspend, "use getaddrinfo in a thread",
        (const struct gaicb *const list[], int n, const struct timespec *t), (list, n, t))
REFUSED(mq_notify, "use mq_receive in a thread", (mqd_t q, const struct sigevent *event),
        (q, event))

static int real_clone(int (*function)(void *), void *stack, int flags, void *argument,
                      const long a[3])
{
    return ((int (*)(int (*)(void *), void *, int, void *, ...))simp_real("clone"))(
        function, stack, flags, argument, a[0], a[1], a[2]);
}

EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list more;
    long a[3];
    int i;

    refuse("clone", "use pthread_create, fork or posix_spawn");
    va_start(more, argument);
    for (i = 0; i < 3; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    return real_clone(function, stack, flags, argument, a);
}

/* Another name of the same function. */
EXPORT int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...) __THROW
    __attribute__((alias("clone")));
