/* SPDX-License-Identifier: BSD-3-Clause */
/* alias.c - other names under which the C library has the same functions */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "preload.h"

/* Define the older name as a call of the newer. */
#define ALIAS(type, older, newer, parameters, arguments)                                           \
    EXPORT type older parameters;                                                                  \
    EXPORT type older parameters                                                                   \
    {                                                                                              \
        return newer arguments;                                                                    \
    }

ALIAS(int, __close, close, (int fd), (fd))
ALIAS(int, __connect, connect, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
ALIAS(int, __dup2, dup2, (int fd, int copy), (fd, copy))
ALIAS(pid_t, __fork, fork, (void), ())
ALIAS(pid_t, __vfork, fork, (void), ())
ALIAS(pid_t, _Fork, fork, (void), ())
ALIAS(int, __gettimeofday, gettimeofday, (struct timeval * t, void *zone), (t, zone))
ALIAS(int, __poll, poll, (struct pollfd * p, nfds_t n, int timeout), (p, n, timeout))
ALIAS(ssize_t, __read, read, (int fd, void *buf, size_t size), (fd, buf, size))
ALIAS(ssize_t, __write, write, (int fd, const void *buf, size_t size), (fd, buf, size))
ALIAS(ssize_t, __send, send, (int fd, const void *buf, size_t size, int flags),
      (fd, buf, size, flags))
ALIAS(int, __select, select, (int n, fd_set *in, fd_set *out, fd_set *bad, struct timeval *t),
      (n, in, out, bad, t))
ALIAS(int, __sched_yield, sched_yield, (void), ())
ALIAS(pid_t, __wait, wait, (int *status), (status))
ALIAS(pid_t, __waitpid, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
ALIAS(int, __pthread_mutex_lock, pthread_mutex_lock, (pthread_mutex_t * m), (m))
ALIAS(int, __pthread_mutex_trylock, pthread_mutex_trylock, (pthread_mutex_t * m), (m))
ALIAS(int, __pthread_mutex_unlock, pthread_mutex_unlock, (pthread_mutex_t * m), (m))
ALIAS(int, __pthread_once, pthread_once, (pthread_once_t * c, void (*f)(void)), (c, f))
ALIAS(int, __pthread_rwlock_rdlock, pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))
ALIAS(int, __pthread_rwlock_wrlock, pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))
ALIAS(int, __pthread_rwlock_unlock, pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
ALIAS(int, __sigaction, sigaction,
      (int signo, const struct sigaction *action, struct sigaction *old), (signo, action, old))
ALIAS(sighandler_t, bsd_signal, signal, (int signo, sighandler_t f), (signo, f))
ALIAS(sighandler_t, ssignal, signal, (int signo, sighandler_t f), (signo, f))
ALIAS(sighandler_t, sysv_signal, __sysv_signal, (int signo, sighandler_t f), (signo, f))
ALIAS(int, __sigsuspend, sigsuspend, (const sigset_t *mask), (mask))
ALIAS(int, __clock_gettime, clock_gettime, (clockid_t clock, struct timespec *t), (clock, t))
ALIAS(int, __nanosleep, nanosleep, (const struct timespec *t, struct timespec *left), (t, left))
ALIAS(int, __clock_nanosleep, clock_nanosleep,
      (clockid_t clock, int flags, const struct timespec *t, struct timespec *left),
      (clock, flags, t, left))
