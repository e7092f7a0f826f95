/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ipc.c - message queues and semaphores of POSIX and System V, file locks
 *
 * The kernel keeps them, and other processes use them. Each call is tried without blocking, at the
 * caller's time. A process of the simulation posts an event when it uses a queue; other changes are
 * found by trying again after each step of the world.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "files.h"

/* A call with its arguments; busy: its errno if it would block. */
struct ipc_attempt {
    long (*call)(struct ipc_attempt *a);
    int busy;
    long a, b, c, d, e;
    long r;
};

static bool look_at_attempt(void *cx)
{
    struct ipc_attempt *a = cx;

    a->r = a->call(a);
    return !(a->r == -1 && errno == a->busy);
}

static long try_until(struct ipc_attempt *a, int64_t until, enum simp_restart signals, int timeout)
{
    struct simp_events e = {.signals = signals};

    simp_events_add(&e, SIM_EVENT_POLL);
    simp_events_add(&e, simp_stream_event());
    if (simp_block(until, &e, look_at_attempt, a)) {
        int saved = errno;

        if (a->r >= 0)
            simc_post(simp_stream_event());
        errno = saved;
        return a->r;
    }
    errno = e.interrupted ? EINTR : timeout;
    return -1;
}

static const struct timespec long_ago;

static long receive(struct ipc_attempt *a)
{
    return simp_result(simc_raw5(SYS_mq_timedreceive, a->a, a->b, a->c, a->d, &long_ago));
}

static long send_one(struct ipc_attempt *a)
{
    return simp_result(simc_raw5(SYS_mq_timedsend, a->a, a->b, a->c, a->d, &long_ago));
}

static int64_t ipc_point(const struct timespec *t)
{
    return t ? simp_clock_point(CLOCK_REALTIME, t) : SIM_NEVER;
}

static bool bad(const struct timespec *t)
{
    if (!t || simp_timespec_valid(t))
        return false;
    errno = EINVAL;
    return true;
}

static ssize_t receive_until(mqd_t q, char *buf, size_t size, unsigned *priority,
                             const struct timespec *t)
{
    struct ipc_attempt a = {receive, ETIMEDOUT, q, (long)buf, (long)size, (long)priority, 0, 0};

    return bad(t) ? -1 : (ssize_t)try_until(&a, ipc_point(t), SIMP_RESTARTS, ETIMEDOUT);
}

EXPORT ssize_t mq_timedreceive(mqd_t q, char *restrict buf, size_t size,
                               unsigned *restrict priority, const struct timespec *restrict t)
{
    return simc_free() ? receive_until(q, buf, size, priority, t)
                       : REAL(mq_timedreceive)(q, buf, size, priority, t);
}

EXPORT ssize_t mq_receive(mqd_t q, char *buf, size_t size, unsigned *priority)
{
    return simc_free() ? receive_until(q, buf, size, priority, NULL)
                       : REAL(mq_receive)(q, buf, size, priority);
}

static int send_until(mqd_t q, const char *buf, size_t size, unsigned priority,
                      const struct timespec *t)
{
    struct ipc_attempt a = {send_one, ETIMEDOUT, q, (long)buf, (long)size, (long)priority, 0, 0};

    return bad(t) ? -1 : (int)try_until(&a, ipc_point(t), SIMP_RESTARTS, ETIMEDOUT);
}

EXPORT int mq_timedsend(mqd_t q, const char *buf, size_t size, unsigned priority,
                        const struct timespec *t)
{
    return simc_free() ? send_until(q, buf, size, priority, t)
                       : REAL(mq_timedsend)(q, buf, size, priority, t);
}

EXPORT int mq_send(mqd_t q, const char *buf, size_t size, unsigned priority)
{
    return simc_free() ? send_until(q, buf, size, priority, NULL)
                       : REAL(mq_send)(q, buf, size, priority);
}

static long get_message(struct ipc_attempt *a)
{
    return REAL(msgrcv)((int)a->a, (void *)a->b, (size_t)a->c, a->d, (int)a->e | IPC_NOWAIT);
}

EXPORT ssize_t msgrcv(int q, void *buf, size_t size, long type, int flags)
{
    struct ipc_attempt a = {get_message, ENOMSG, q, (long)buf, (long)size, type, flags, 0};

    if (!simc_free() || (flags & IPC_NOWAIT))
        return REAL(msgrcv)(q, buf, size, type, flags);
    return (ssize_t)try_until(&a, SIM_NEVER, SIMP_ENDS, EINTR);
}

static long put_message(struct ipc_attempt *a)
{
    return REAL(msgsnd)((int)a->a, (const void *)a->b, (size_t)a->c, (int)a->d | IPC_NOWAIT);
}

EXPORT int msgsnd(int q, const void *buf, size_t size, int flags)
{
    struct ipc_attempt a = {put_message, EAGAIN, q, (long)buf, (long)size, flags, 0, 0};

    if (!simc_free())
        return REAL(msgsnd)(q, buf, size, flags);
    if (flags & IPC_NOWAIT)
        return (int)simp_result(put_message(&a) < 0 ? -errno : 0);
    return (int)try_until(&a, SIM_NEVER, SIMP_ENDS, EINTR);
}

#define OPERATIONS_MAX 64

static long operate(struct ipc_attempt *a)
{
    struct sembuf without_wait[OPERATIONS_MAX];
    const struct sembuf *from = (const struct sembuf *)a->b;
    long i;

    for (i = 0; i < a->c; i++) {
        without_wait[i] = from[i];
        without_wait[i].sem_flg = (short)(from[i].sem_flg | IPC_NOWAIT);
    }
    return REAL(semop)((int)a->a, without_wait, (size_t)a->c);
}

static bool waits(const struct sembuf *operations, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (operations[i].sem_flg & IPC_NOWAIT)
            return false;
    return n <= OPERATIONS_MAX;
}

EXPORT int semtimedop(int id, struct sembuf *operations, size_t n, const struct timespec *t)
{
    struct ipc_attempt a = {operate, EAGAIN, id, (long)operations, (long)n, 0, 0, 0};

    if (!simc_free() || !waits(operations, n))
        return REAL(semtimedop)(id, operations, n, t);
    return bad(t) ? -1
                  : (int)try_until(&a, t ? simp_after(simc_now(), simp_ns(t)) : SIM_NEVER,
                                   SIMP_ENDS, EAGAIN);
}

EXPORT int semop(int id, struct sembuf *operations, size_t n)
{
    return semtimedop(id, operations, n, NULL);
}

typedef int control_fun(int fd, int command, ...);

/* Fails with EAGAIN if another owner has a lock in the range. */
static long lock_range(struct ipc_attempt *a)
{
    return ((control_fun *)a->d)((int)a->a, (int)a->b, a->c);
}

/* A waiting command (F_SETLKW) has the number of its non-blocking one (F_SETLK) plus 1. */
static int lock_until_free(control_fun *real, int fd, int command, long lock)
{
    struct ipc_attempt a = {lock_range, EAGAIN, fd, command - 1, lock, (long)real, 0, 0};

    return (int)try_until(&a, SIM_NEVER, SIMP_RESTARTS, EINTR);
}

static int control(control_fun *real, int fd, int command, long argument)
{
    int r;

    if (!simc_free())
        return real(fd, command, argument);
    switch (command) {
    case F_SETLKW:
#if F_SETLKW64 != F_SETLKW
    case F_SETLKW64:
#endif
    case F_OFD_SETLKW:
        return lock_until_free(real, fd, command, argument);
    case F_SETLK:
#if F_SETLK64 != F_SETLK
    case F_SETLK64:
#endif
    case F_OFD_SETLK:
        simc_act();
        r = real(fd, command, argument);
        if (r == 0 && *(const short *)argument == F_UNLCK) /* l_type is first in all widths */
            simc_post(simp_stream_event());
        return r;
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        r = real(fd, command, argument);
        simp_file_copied(fd, r);
        return r;
    default:
        return real(fd, command, argument);
    }
}

/* Where off_t has two widths, each name calls the C library's function of the same width. */
#define CONTROL(name, symbol)                                                                      \
    EXPORT int name(int fd, int command, ...) __asm__(symbol);                                     \
    EXPORT int name(int fd, int command, ...)                                                      \
    {                                                                                              \
        static control_fun *real;                                                                  \
        va_list more;                                                                              \
        long argument;                                                                             \
                                                                                                   \
        if (!real)                                                                                 \
            real = (control_fun *)simp_real(symbol);                                               \
        va_start(more, command);                                                                   \
        argument = va_arg(more, long);                                                             \
        va_end(more);                                                                              \
        return control(real, fd, command, argument);                                               \
    }

CONTROL(plain_fcntl, "fcntl")
CONTROL(older_fcntl, "__fcntl")
CONTROL(wide_fcntl, "fcntl64")

/* Lock from the file's offset on. The caller has checked that the size fits into a long. */
static long lock_rest(struct ipc_attempt *a)
{
    return REAL(lockf64)((int)a->a, F_TLOCK, (off_t)a->c);
}

static int lock_rest_until_free(int fd, int command, off_t size)
{
    struct ipc_attempt a = {lock_rest, EAGAIN, fd, 0, (long)size, 0, 0, 0};

    int r;

    if (!simc_free() || size != (long)size)
        return REAL(lockf64)(fd, command, size);
    if (command != F_LOCK) {
        simc_act();
        r = REAL(lockf64)(fd, command, size);
        if (r == 0 && command == F_ULOCK)
            simc_post(simp_stream_event());
        return r;
    }
    return (int)try_until(&a, SIM_NEVER, SIMP_RESTARTS, EINTR);
}

static long lock_file(struct ipc_attempt *a)
{
    return REAL(flock)((int)a->a, (int)a->b | LOCK_NB);
}

EXPORT int flock(int fd, int operation)
{
    struct ipc_attempt a = {lock_file, EWOULDBLOCK, fd, operation, 0, 0, 0, 0};

    if (!simc_free())
        return REAL(flock)(fd, operation);
    if (operation & LOCK_NB) {
        simc_act();
        return REAL(flock)(fd, operation);
    }
    return (int)try_until(&a, SIM_NEVER, SIMP_RESTARTS, EINTR);
}

#undef lockf
#undef lockf64

EXPORT int plain_lockf(int fd, int command, long size) __asm__("lockf");
EXPORT int wide_lockf(int fd, int command, off_t size) __asm__("lockf64");

EXPORT int plain_lockf(int fd, int command, long size)
{
    return lock_rest_until_free(fd, command, size);
}

EXPORT int wide_lockf(int fd, int command, off_t size)
{
    return lock_rest_until_free(fd, command, size);
}
