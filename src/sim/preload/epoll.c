/* SPDX-License-Identifier: BSD-3-Clause */
/* epoll.c - epoll: as poll, but the kernel keeps the descriptors */
#include <errno.h>
#include <sys/epoll.h>

#include "files.h"

#define NS_PER_MS 1000000
#define EPOLLS_MAX 65536

/* Kinds of descriptors ever added to an epoll descriptor. 0: unknown, treated as FOREIGN. */
enum { OURS = 1, FOREIGN = 2 };
static unsigned char added[EPOLLS_MAX];

EXPORT int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    int r = REAL(epoll_ctl)(epfd, op, fd, event);

    if (r == 0 && op == EPOLL_CTL_ADD && epfd < EPOLLS_MAX)
        __atomic_fetch_or(&added[epfd], simp_file_foreign(fd) ? FOREIGN : OURS, __ATOMIC_RELAXED);
    return r;
}

EXPORT int epoll_create1(int flags)
{
    int fd = REAL(epoll_create1)(flags);

    if (fd >= 0 && fd < EPOLLS_MAX)
        added[fd] = 0;
    return fd;
}

EXPORT int epoll_create(int size)
{
    int fd = REAL(epoll_create)(size);

    if (fd >= 0 && fd < EPOLLS_MAX)
        added[fd] = 0;
    return fd;
}

struct epoll_look {
    int r, epfd, max;
    struct epoll_event *events;
    const sigset_t *signals;
};

static bool look_at_epoll(void *cx)
{
    struct epoll_look *l = cx;

    simp_files_refresh();
    l->r = REAL(epoll_pwait)(l->epfd, l->events, l->max, 0, l->signals);
    return l->r != 0;
}

static int epoll_wait_until(int epfd, struct epoll_event *events, int max, int64_t until,
                            const sigset_t *signals)
{
    struct epoll_look l = {.epfd = epfd, .max = max, .events = events, .signals = signals};
    bool foreign = epfd < 0 || epfd >= EPOLLS_MAX || added[epfd] != OURS;

    if (simp_watch(until, foreign, SIMP_ENDS, look_at_epoll, &l) < 0)
        return -1;
    return l.r;
}

static int pwait(int epfd, struct epoll_event *events, int max, int64_t ns, const sigset_t *signals)
{
    struct epoll_look l = {.epfd = epfd, .max = max, .events = events, .signals = signals};

    if (ns != 0)
        return epoll_wait_until(epfd, events, max, ns < 0 ? SIM_NEVER : simp_after(simc_now(), ns),
                                signals);
    simc_act();
    look_at_epoll(&l);
    return l.r;
}

EXPORT int epoll_wait(int epfd, struct epoll_event *events, int max, int timeout)
{
    if (!simc_free())
        return REAL(epoll_wait)(epfd, events, max, timeout);
    return pwait(epfd, events, max, (int64_t)timeout * NS_PER_MS, NULL);
}

EXPORT int epoll_pwait(int epfd, struct epoll_event *events, int max, int timeout,
                       const sigset_t *signals)
{
    if (!simc_free())
        return REAL(epoll_pwait)(epfd, events, max, timeout, signals);
    return pwait(epfd, events, max, (int64_t)timeout * NS_PER_MS, signals);
}

EXPORT int epoll_pwait2(int epfd, struct epoll_event *events, int max, const struct timespec *t,
                        const sigset_t *signals)
{
    if (!simc_free())
        return REAL(epoll_pwait2)(epfd, events, max, t, signals);
    if (t && !simp_timespec_valid(t)) {
        errno = EINVAL;
        return -1;
    }
    return pwait(epfd, events, max, t ? simp_ns(t) : -1, signals);
}
