/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dispatch.c - system calls by number: from syscall(), and those that the filter traps
 *
 * The kernel's signal sets have 8 bytes. struct timespec here is the C library's; where the kernel
 * also has calls with 64-bit time, their struct (wide) is converted.
 */
#include "dispatch.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "alarm.h"
#include "futex.h"
#include "kill.h"
#include "pending.h"
#include "refuse.h"

#define KERNEL_SIGSET 8

/* The kernel's timespec of 64 bits, on all machines. */
struct wide {
    int64_t tv_sec, tv_nsec;
};

static long back(long r)
{
    return r == -1 ? -errno : r;
}

static const struct timespec *narrow(long wide, struct timespec *t)
{
    const struct wide *w = (const struct wide *)wide;

    if (!w)
        return NULL;
    *t = (struct timespec){.tv_sec = (time_t)w->tv_sec, .tv_nsec = (long)w->tv_nsec};
    return t;
}

static const sigset_t *signal_set(long kernel_set, sigset_t *set)
{
    if (!kernel_set)
        return NULL;
    memset(set, 0, sizeof(*set));
    memcpy(set, (const void *)kernel_set, KERNEL_SIGSET);
    return set;
}

/* The kernel writes back how much of a timeout was left, unless it rejects the arguments. */
static void dispatch_set_left(struct timespec *left, const struct timespec *given, int64_t until,
                              long r)
{
    int64_t rest;

    if (!left || !given)
        return;
    rest = until - simc_now();
    *left = r == -EINVAL ? *given : simp_timespec(rest > 0 ? rest : 0);
}

static long do_ppoll(const long a[6], const struct timespec *given, struct timespec *left)
{
    int64_t until = given ? simp_after(simc_now(), simp_ns(given)) : 0;
    sigset_t set;
    long r = back(ppoll((struct pollfd *)a[0], (nfds_t)a[1], given, signal_set(a[3], &set)));

    dispatch_set_left(left, given, until, r);
    return r;
}

static long do_pselect(const long a[6], const struct timespec *given, struct timespec *left)
{
    const long *signals = (const long *)a[5];
    int64_t until = given ? simp_after(simc_now(), simp_ns(given)) : 0;
    sigset_t set;
    long r = back(pselect((int)a[0], (fd_set *)a[1], (fd_set *)a[2], (fd_set *)a[3], given,
                          signals ? signal_set(signals[0], &set) : NULL));

    dispatch_set_left(left, given, until, r);
    return r;
}

#ifdef SYS_select
static long do_select(const long a[5])
{
    return back(
        select((int)a[0], (fd_set *)a[1], (fd_set *)a[2], (fd_set *)a[3], (struct timeval *)a[4]));
}
#endif

static long do_epoll_pwait(const long a[6])
{
    sigset_t set;

    return back(epoll_pwait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3],
                            signal_set(a[4], &set)));
}

static long do_epoll_pwait2(const long a[6])
{
    struct timespec t;
    sigset_t set;

    return back(epoll_pwait2((int)a[0], (struct epoll_event *)a[1], (int)a[2], narrow(a[3], &t),
                             signal_set(a[4], &set)));
}

static long do_futex(long number, const long a[6], const struct timespec *t, bool trapped)
{
    long r = simp_futex(a, t, trapped);

    if (r != SIMP_FUTEX_UNKNOWN)
        return r;
    simp_refuse("futex with an operation of condition variables that inherit priority",
                "use pthread_cond_timedwait");
    return simc_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static bool has_timeout(long op)
{
    op &= 127;
    return op == 0 || op == 9 || op == 6 || op == 13 || op == 11;
}

static long do_mq_receive(const long a[6])
{
    const struct timespec *t = (const struct timespec *)a[4];

    return t ? mq_timedreceive((mqd_t)a[0], (char *)a[1], (size_t)a[2], (unsigned *)a[3], t)
             : mq_receive((mqd_t)a[0], (char *)a[1], (size_t)a[2], (unsigned *)a[3]);
}

static long do_mq_send(const long a[6])
{
    const struct timespec *t = (const struct timespec *)a[4];

    return t ? mq_timedsend((mqd_t)a[0], (const char *)a[1], (size_t)a[2], (unsigned)a[3], t)
             : mq_send((mqd_t)a[0], (const char *)a[1], (size_t)a[2], (unsigned)a[3]);
}

static long do_sigtimedwait(const long a[6], const struct timespec *t)
{
    sigset_t set;

    return back(sigtimedwait(signal_set(a[0], &set), (siginfo_t *)a[1], t));
}

static long do_sigsuspend(const long a[6])
{
    sigset_t set;

    return back(sigsuspend(signal_set(a[0], &set)));
}

#ifdef SYS_sigsuspend
/* The old sigsuspend, with 32 signals: the mask is the third argument. */
static long do_old_sigsuspend(const long a[6])
{
    sigset_t set;

    memset(&set, 0, sizeof(set));
    memcpy(&set, &a[2], sizeof(a[2]));
    return back(sigsuspend(&set));
}
#endif

/* SIGSYS is never blocked: trapped system calls arrive as SIGSYS. */
static long do_sigprocmask(const long a[6])
{
    sigset_t set;
    const sigset_t *given = signal_set(a[1], &set);

    if (given && a[0] != SIG_UNBLOCK)
        sigdelset(&set, SIGSYS);
    return simc_raw5(SYS_rt_sigprocmask, a[0], given, a[2], a[3], 0);
}

static long do_timer_create(const long a[6])
{
    const struct sigevent *event = (const struct sigevent *)a[1];
    int r;

    if (!simp_clock_virtual((clockid_t)a[0]))
        return simc_raw3(SYS_timer_create, a[0], a[1], a[2]);
    r = simp_alarm_create((clockid_t)a[0], event);
    if (r < 0)
        return r;
    *(int *)a[2] = (int)(SIMP_ALARM_IDS + r);
    return 0;
}

static bool is_alarm(long id)
{
    return (int)id >= SIMP_ALARM_IDS;
}

static unsigned alarm_index(long id)
{
    return (unsigned)((int)id - SIMP_ALARM_IDS);
}

#define ON(name, result)                                                                           \
    case SYS_##name:                                                                               \
        return result;

#define SEND(...) simp_send(&(struct simp_sent){__VA_ARGS__})

/* Sending signals. *done is set to false if the number is none of these, as in all below. */
static long dispatch_send(long number, const long a[6], bool *done)
{
    switch (number) {
        ON(kill, SEND(.pid = (pid_t)a[0], .signo = (int)a[1]))
        ON(tkill, simp_tkill((pid_t)a[0], (int)a[1]))
        ON(tgkill, SEND(.pid = (pid_t)a[0], .tid = (pid_t)a[1], .signo = (int)a[2]))
        ON(rt_sigqueueinfo, SEND(.pid = (pid_t)a[0], .signo = (int)a[1], .info = (siginfo_t *)a[2]))
        ON(rt_tgsigqueueinfo, SEND(.pid = (pid_t)a[0], .tid = (pid_t)a[1], .signo = (int)a[2],
                                   .info = (siginfo_t *)a[3]))
#ifdef SYS_pidfd_send_signal
        ON(pidfd_send_signal, SEND(.pidfd = true, .fd = (int)a[0], .signo = (int)a[1],
                                   .info = (siginfo_t *)a[2], .flags = (unsigned)a[3]))
#endif
    default:
        *done = false;
        return 0;
    }
}

static long do_clone(const long a[6])
{
    if ((a[0] & ~(long)CSIGNAL) == 0 && a[1] == 0)
        return back(fork());
    simp_refuse("clone", "use pthread_create, fork or posix_spawn");
    return simc_raw(SYS_clone, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* The kernel and the C library reject the clock of a thread's CPU time with different errors. */
static long do_clock_nanosleep(const long a[6])
{
    if (!simp_clock_virtual((clockid_t)a[0]))
        return simc_raw5(SYS_clock_nanosleep, a[0], a[1], a[2], a[3], 0);
    return -clock_nanosleep((clockid_t)a[0], (int)a[1], (const struct timespec *)a[2],
                            (struct timespec *)a[3]);
}

/* Time, sleeping and timers. */
static long dispatch_time(long number, const long a[6], bool *done)
{
    switch (number) {
        ON(clock_gettime, back(clock_gettime((clockid_t)a[0], (struct timespec *)a[1])))
        ON(clock_getres, back(clock_getres((clockid_t)a[0], (struct timespec *)a[1])))
        ON(clock_settime, back(clock_settime((clockid_t)a[0], (const struct timespec *)a[1])))
        ON(clock_nanosleep, do_clock_nanosleep(a))
        ON(gettimeofday, back(gettimeofday((struct timeval *)a[0], (void *)a[1])))
        ON(settimeofday, -EPERM)
        ON(nanosleep, back(nanosleep((const struct timespec *)a[0], (struct timespec *)a[1])))
        ON(times, back(times((struct tms *)a[0])))
        ON(sysinfo, back(sysinfo((struct sysinfo *)a[0])))
        ON(timerfd_create, back(timerfd_create((int)a[0], (int)a[1])))
        ON(timerfd_settime,
           back(timerfd_settime((int)a[0], (int)a[1], (const struct itimerspec *)a[2],
                                (struct itimerspec *)a[3])))
        ON(timerfd_gettime, back(timerfd_gettime((int)a[0], (struct itimerspec *)a[1])))
        ON(setitimer, back(setitimer((__itimer_which_t)a[0], (const struct itimerval *)a[1],
                                     (struct itimerval *)a[2])))
        ON(getitimer, back(getitimer((__itimer_which_t)a[0], (struct itimerval *)a[1])))
        ON(timer_create, do_timer_create(a))
#ifdef SYS_time
        ON(time, back((long)time((time_t *)a[0])))
#endif
#ifdef SYS_alarm
        ON(alarm, (long)alarm((unsigned)a[0]))
#endif
#ifdef SYS_pause
        ON(pause, back(pause()))
#endif
    default:
        *done = false;
        return 0;
    }
}

/* Waiting for descriptors, signals, processes and queues. */
static long dispatch_wait(long number, const long a[6], bool trapped, bool *done)
{
    switch (number) {
        ON(ppoll, do_ppoll(a, (const struct timespec *)a[2], (struct timespec *)a[2]))
        ON(pselect6, do_pselect(a, (const struct timespec *)a[4], (struct timespec *)a[4]))
        ON(epoll_pwait, do_epoll_pwait(a))
#ifdef SYS_epoll_pwait2
        ON(epoll_pwait2, do_epoll_pwait2(a))
#endif
#ifdef SYS_poll
        ON(poll, back(poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2])))
#endif
#ifdef __x86_64__
        ON(select, do_select(a))
#endif
#ifdef SYS__newselect
        ON(_newselect, do_select(a))
        ON(select, do_select((const long *)a[0])) /* the old call has its arguments in memory */
#endif
#ifdef SYS_epoll_wait
        ON(epoll_wait,
           back(epoll_wait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3])))
#endif
        ON(futex,
           do_futex(number, a, has_timeout(a[1]) ? (const struct timespec *)a[3] : NULL, trapped))
        ON(rt_sigtimedwait, do_sigtimedwait(a, (const struct timespec *)a[2]))
        ON(rt_sigsuspend, do_sigsuspend(a))
#ifdef SYS_sigsuspend
        ON(sigsuspend, do_old_sigsuspend(a))
#endif
        ON(rt_sigprocmask, do_sigprocmask(a))
        ON(rt_sigaction, simp_sigaction_number(a))
        ON(waitid, simp_waitid_number(a))
        ON(wait4, back(wait4((pid_t)a[0], (int *)a[1], (int)a[2], (struct rusage *)a[3])))
        ON(mq_timedreceive, back(do_mq_receive(a)))
        ON(mq_timedsend, back(do_mq_send(a)))
#ifdef SYS_semtimedop
        ON(semtimedop, back(semtimedop((int)a[0], (struct sembuf *)a[1], (size_t)a[2],
                                       (const struct timespec *)a[3])))
#endif
#ifdef SYS_semop
        ON(semop, back(semop((int)a[0], (struct sembuf *)a[1], (size_t)a[2])))
#endif
        ON(msgrcv, back(msgrcv((int)a[0], (void *)a[1], (size_t)a[2], a[3], (int)a[4])))
        ON(msgsnd, back(msgsnd((int)a[0], (const void *)a[1], (size_t)a[2], (int)a[3])))
        ON(flock, back(flock((int)a[0], (int)a[1])))
        ON(recvmmsg, back(recvmmsg((int)a[0], (struct mmsghdr *)a[1], (unsigned)a[2], (int)a[3],
                                   (struct timespec *)a[4])))
    default:
        *done = false;
        return 0;
    }
}

/* Descriptors, processes, and timers by number. */
static long dispatch_other(long number, const long a[6], bool *done)
{
    switch (number) {
        ON(read, back(read((int)a[0], (void *)a[1], (size_t)a[2])))
        ON(write, back(write((int)a[0], (const void *)a[1], (size_t)a[2])))
        ON(readv, back(readv((int)a[0], (const struct iovec *)a[1], (int)a[2])))
        ON(writev, back(writev((int)a[0], (const struct iovec *)a[1], (int)a[2])))
        ON(close, back(close((int)a[0])))
        ON(dup, back(dup((int)a[0])))
        ON(dup3, back(dup3((int)a[0], (int)a[1], (int)a[2])))
        ON(fcntl, back(fcntl((int)a[0], (int)a[1], a[2])))
#ifdef SYS_fcntl64
        ON(fcntl64, back(fcntl((int)a[0], (int)a[1], a[2])))
#endif
#ifdef SYS_dup2
        ON(dup2, back(dup2((int)a[0], (int)a[1])))
#endif
        ON(recvfrom, back(recvfrom((int)a[0], (void *)a[1], (size_t)a[2], (int)a[3],
                                   (struct sockaddr *)a[4], (socklen_t *)a[5])))
        ON(recvmsg, back(recvmsg((int)a[0], (struct msghdr *)a[1], (int)a[2])))
        ON(sendto, back(sendto((int)a[0], (const void *)a[1], (size_t)a[2], (int)a[3],
                               (const struct sockaddr *)a[4], (socklen_t)a[5])))
        ON(sendmsg, back(sendmsg((int)a[0], (const struct msghdr *)a[1], (int)a[2])))
        ON(accept4, back(accept4((int)a[0], (struct sockaddr *)a[1], (socklen_t *)a[2], (int)a[3])))
        ON(connect, back(connect((int)a[0], (const struct sockaddr *)a[1], (socklen_t)a[2])))
#ifdef SYS_accept
        ON(accept, back(accept((int)a[0], (struct sockaddr *)a[1], (socklen_t *)a[2])))
#endif
        ON(eventfd2, back(eventfd((unsigned)a[0], (int)a[1])))
        ON(epoll_create1, back(epoll_create1((int)a[0])))
        ON(epoll_ctl, back(epoll_ctl((int)a[0], (int)a[1], (int)a[2], (struct epoll_event *)a[3])))
#ifdef SYS_eventfd
        ON(eventfd, back(eventfd((unsigned)a[0], 0)))
        ON(epoll_create, back(epoll_create((int)a[0])))
#endif
        ON(execveat, back(execveat((int)a[0], (const char *)a[1], (char *const *)a[2],
                                   (char *const *)a[3], (int)a[4])))
        ON(execve, back(execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2])))
        ON(clone, do_clone(a))
        ON(sched_yield, back(sched_yield()))
#ifdef SYS_fork
        ON(fork, back(fork()))
        ON(vfork, back(fork()))
#endif
    case SYS_exit_group:
        _exit((int)a[0]);
    case SYS_timer_settime:
        if (is_alarm(a[0]))
            return simp_alarm_set(alarm_index(a[0]), (int)a[1], (const struct itimerspec *)a[2],
                                  (struct itimerspec *)a[3]);
        break;
    case SYS_timer_gettime:
        if (is_alarm(a[0]))
            return simp_alarm_get(alarm_index(a[0]), (struct itimerspec *)a[1]);
        break;
    case SYS_timer_getoverrun:
        if (is_alarm(a[0]))
            return simp_alarm_overrun(alarm_index(a[0]));
        break;
    case SYS_timer_delete:
        if (is_alarm(a[0]))
            return simp_alarm_delete(alarm_index(a[0]));
        break;
#ifdef SYS_stime
    case SYS_stime:
#endif
    case SYS_adjtimex:
    case SYS_clock_adjtime:
        simp_refuse("adjtimex", "a simulated clock cannot be adjusted; use clock_gettime");
        break;
    case SYS_mq_notify:
        simp_refuse("mq_notify", "use mq_receive in a thread");
        break;
    case SYS_io_setup: /* pretend that the kernel lacks these: programs have fallbacks */
    case SYS_io_uring_setup:
    case SYS_clone3:
#ifdef SYS_futex_waitv
    case SYS_futex_waitv:
#endif
#ifdef SYS_futex_wait
    case SYS_futex_wait:
    case SYS_futex_wake:
    case SYS_futex_requeue:
#endif
        return -ENOSYS;
    default:
        break;
    }
    *done = false;
    return 0;
}

#ifdef SYS_clock_gettime64

static void widen(long wide, const struct timespec *t)
{
    struct wide *w = (struct wide *)wide;

    if (w)
        *w = (struct wide){t->tv_sec, t->tv_nsec};
}

static long do_clock_gettime64(const long a[6])
{
    struct timespec t;
    long r = back(clock_gettime((clockid_t)a[0], &t));

    if (r == 0)
        widen(a[1], &t);
    return r;
}

static long do_clock_nanosleep64(const long a[6])
{
    struct timespec t, left = {0};
    long r = -clock_nanosleep((clockid_t)a[0], (int)a[1], narrow(a[2], &t), &left);

    if (r == -EINTR && !(a[1] & TIMER_ABSTIME))
        widen(a[3], &left);
    return r;
}

/* Calls with 64-bit time, from 32-bit programs and from inside the C library. */
static long dispatch_time64(long number, const long a[6], bool trapped, bool *done)
{
    struct timespec t, left;
    long r;

    switch (number) {
        ON(clock_gettime64, do_clock_gettime64(a))
        ON(clock_nanosleep_time64, do_clock_nanosleep64(a))
        ON(futex_time64, do_futex(number, a, has_timeout(a[1]) ? narrow(a[3], &t) : NULL, trapped))
        ON(rt_sigtimedwait_time64, do_sigtimedwait(a, narrow(a[2], &t)))
    case SYS_ppoll_time64:
        r = do_ppoll(a, narrow(a[2], &t), &left);
        if (a[2])
            widen(a[2], &left);
        return r;
    case SYS_pselect6_time64:
        r = do_pselect(a, narrow(a[4], &t), &left);
        if (a[4])
            widen(a[4], &left);
        return r;
    case SYS_clock_adjtime64:
    case SYS_clock_getres_time64:
    case SYS_clock_settime64:
    case SYS_mq_timedreceive_time64:
    case SYS_mq_timedsend_time64:
    case SYS_recvmmsg_time64:
    case SYS_semtimedop_time64:
    case SYS_timer_gettime64:
    case SYS_timer_settime64:
    case SYS_timerfd_gettime64:
    case SYS_timerfd_settime64:
        simp_refuse("time64: a system call with 64-bit time",
                    "compile the program without _TIME_BITS=64");
        break;
    default:
        break;
    }
    *done = false;
    return 0;
}

#else

static long dispatch_time64(long number, const long a[6], bool trapped, bool *done)
{
    (void)number;
    (void)a;
    (void)trapped;
    *done = false;
    return 0;
}

#endif

void simp_refuse_foreign(void)
{
    simp_refuse("foreign_call: a system call with the convention of another architecture",
                "compile the program for this architecture");
}

/* A negative number is never a system call, so test SIMP_X32 only in positive ones. */
long simp_dispatch(long number, const long a[6], bool trapped)
{
    bool done = true;
    long r;

    if (simc_free()) {
        if (number > 0 && (number & SIMP_X32))
            simp_refuse_foreign();
        r = dispatch_time(number, a, &done);
        if (done)
            return r;
        done = true;
        r = dispatch_wait(number, a, trapped, &done);
        if (done)
            return r;
        done = true;
        r = dispatch_other(number, a, &done);
        if (done)
            return r;
        done = true;
        r = dispatch_send(number, a, &done);
        if (done)
            return r;
        done = true;
        r = dispatch_time64(number, a, trapped, &done);
        if (done)
            return r;
    }
    return simc_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#undef syscall

EXPORT long syscall(long number, ...);

/* All supported machines pass variadic arguments like fixed ones: six can always be read. */
EXPORT long syscall(long number, ...)
{
    long a[6];
    va_list more;
    int i;

    va_start(more, number);
    for (i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    return simp_result(simp_dispatch(number, a, false));
}
