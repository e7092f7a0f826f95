/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * poll.c - poll and select
 *
 * Descriptors that the simulation does not control, such as sockets and pipes, are polled after
 * each step of the world.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>

#include "files.h"

#define NS_PER_MS 1000000
#define NS_PER_US 1000
#define US_PER_S 1000000
#define KERNEL_SIGSET 8 /* bytes of a set of signals */

static const struct timespec at_once;

/* The arguments of a poll or select; r is its result. */
struct poll_look {
    int r;
    struct pollfd *fds;
    nfds_t n;
    int max;
    fd_set *in, *out, *bad; /* where the results go */
    fd_set want_in, want_out, want_bad;
    const sigset_t *signals;
};

static int64_t deadline(const struct timespec *t)
{
    return t ? simp_after(simc_now(), simp_ns(t)) : SIM_NEVER;
}

static bool look_at_poll(void *cx)
{
    struct poll_look *l = cx;

    simp_files_refresh();
    l->r =
        (int)simp_result(simc_raw5(SYS_ppoll, l->fds, l->n, &at_once, l->signals, KERNEL_SIGSET));
    return l->r != 0;
}

static int poll_until(struct pollfd *fds, nfds_t n, const struct timespec *t,
                      const sigset_t *signals)
{
    struct poll_look l = {.fds = fds, .n = n, .signals = signals};
    bool foreign = false;
    nfds_t i;

    if (t && !simp_timespec_valid(t)) {
        errno = EINVAL;
        return -1;
    }
    if (t && t->tv_sec == 0 && t->tv_nsec == 0) {
        simc_act();
        look_at_poll(&l);
        return l.r;
    }
    for (i = 0; i < n; i++)
        foreign |= simp_file_foreign(fds[i].fd);
    if (simp_watch(deadline(t), foreign, SIMP_ENDS, look_at_poll, &l) < 0)
        return -1;
    return l.r;
}

EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    const struct timespec t = simp_timespec((int64_t)timeout * NS_PER_MS);

    if (!simc_free())
        return REAL(poll)(fds, n, timeout);
    return poll_until(fds, n, timeout < 0 ? NULL : &t, NULL);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *signals)
{
    if (!simc_free())
        return REAL(ppoll)(fds, n, t, signals);
    return poll_until(fds, n, t, signals);
}

/* Called by programs that were compiled with _FORTIFY_SOURCE. */
EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t,
                       const sigset_t *signals, size_t room);

EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
    if (!simc_free() || room / sizeof(*fds) < n)
        return REAL(__poll_chk)(fds, n, timeout, room);
    return poll(fds, n, timeout);
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t,
                       const sigset_t *signals, size_t room)
{
    if (!simc_free() || room / sizeof(*fds) < n)
        return REAL(__ppoll_chk)(fds, n, t, signals, room);
    return ppoll(fds, n, t, signals);
}

/* Sets longer than an fd_set never get here: select and pselect pass them to the C library. */
static void copy_set(fd_set *to, const fd_set *from)
{
    if (to && from)
        memcpy(to, from, sizeof(*to));
}

static bool look_at_select(void *cx)
{
    struct poll_look *l = cx;
    const struct {
        const sigset_t *set;
        size_t size;
    } signals = {l->signals, KERNEL_SIGSET};

    simp_files_refresh();
    copy_set(l->in, &l->want_in);
    copy_set(l->out, &l->want_out);
    copy_set(l->bad, &l->want_bad);
    l->r = (int)simp_result(simc_raw(SYS_pselect6, l->max, (long)l->in, (long)l->out, (long)l->bad,
                                     (long)&at_once, (long)&signals));
    return l->r != 0;
}

static bool any_foreign(const struct poll_look *l)
{
    int fd;

    for (fd = 0; fd < l->max; fd++)
        if (((l->in && FD_ISSET(fd, l->in)) || (l->out && FD_ISSET(fd, l->out)) ||
             (l->bad && FD_ISSET(fd, l->bad))) &&
            simp_file_foreign(fd))
            return true;
    return false;
}

static int select_until(int max, fd_set *in, fd_set *out, fd_set *bad, const struct timespec *t,
                        const sigset_t *signals)
{
    struct poll_look l = {.max = max, .in = in, .out = out, .bad = bad, .signals = signals};
    int64_t until;

    if (t && !simp_timespec_valid(t)) {
        errno = EINVAL;
        return -1;
    }
    until = deadline(t);
    copy_set(&l.want_in, in);
    copy_set(&l.want_out, out);
    copy_set(&l.want_bad, bad);
    if (t && t->tv_sec == 0 && t->tv_nsec == 0) {
        simc_act();
        look_at_select(&l);
    } else if (simp_watch(until, any_foreign(&l), SIMP_ENDS, look_at_select, &l) < 0) {
        return -1;
    }
    return l.r;
}

EXPORT int pselect(int max, fd_set *in, fd_set *out, fd_set *bad, const struct timespec *t,
                   const sigset_t *signals)
{
    if (!simc_free() || max > FD_SETSIZE)
        return REAL(pselect)(max, in, out, bad, t, signals);
    return select_until(max, in, out, bad, t, signals);
}

/* Linux writes back the remaining time. */
EXPORT int select(int max, fd_set *in, fd_set *out, fd_set *bad, struct timeval *left)
{
    struct timespec t;
    int64_t end = 0, rest;
    int r;

    if (!simc_free() || max > FD_SETSIZE)
        return REAL(select)(max, in, out, bad, left);
    if (!left)
        return select_until(max, in, out, bad, NULL, NULL);
    if (left->tv_sec < 0 || left->tv_usec < 0) { /* a large tv_usec is valid */
        errno = EINVAL;
        return -1;
    }
    t.tv_nsec = (long)(left->tv_usec % US_PER_S) * NS_PER_US;
    if (__builtin_add_overflow(left->tv_sec, (time_t)(left->tv_usec / US_PER_S), &t.tv_sec))
        t.tv_sec = (time_t)(SIM_NEVER / NS_PER_S);
    end = deadline(&t);
    r = select_until(max, in, out, bad, &t, NULL);
    rest = end - simc_now();
    t = simp_timespec(rest > 0 ? rest : 0);
    *left = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / NS_PER_US};
    return r;
}
