/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../core/wakeup.h"

/* Seconds between checks whether the server was killed. */
#define PERIOD_SECONDS 1

/* NULL without libachsim and its preload library. */
__attribute__((weak)) extern bool ach_sim_active(void);

/* The pid of the channel's source; 0: there is none, or it is not known. */
static uint32_t source_of(const ach_channel_t *chan)
{
    ach_info_t info;

    return ach_channel_info(chan, &info) == ACH_OK && info.sourced ? info.source_pid : 0;
}

/* The pid may have been reused, unless the source is still the same after pidfd_open. */
static int open_process(const ach_channel_t *chan)
{
    uint32_t pid = source_of(chan);
    int fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

    if (fd < 0 || source_of(chan) == pid)
        return fd;
    close(fd);
    return -1;
}

static int open_timer(void)
{
    const struct itimerspec period = {{PERIOD_SECONDS, 0}, {PERIOD_SECONDS, 0}};
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

    if (fd >= 0)
        timerfd_settime(fd, 0, &period, NULL);
    return fd;
}

static bool watch_add(const struct devch_watch *w, int fd)
{
    struct epoll_event e = {.events = EPOLLIN};

    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static ach_status_t watch_process(struct devch_watch *w)
{
    w->fd = open_process(w->data);
    w->locks = w->fd < 0;
    if (w->locks)
        w->fd = open_timer();
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (w->fd >= 0 && w->epoll >= 0 && watch_add(w, w->data_fd) && watch_add(w, w->fd))
        return ACH_OK;
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no descriptors for a device: %s", strerror(errno));
}

ach_status_t devch_watch_begin(struct devch_watch *w, const char *name, const ach_channel_t *data)
{
    ach_status_t status;
    ach_info_t info;

    *w = (struct devch_watch){.data = data, .epoll = -1, .fd = -1};
    status = ach_channel_fd(data, &w->data_fd);
    if (status == ACH_OK)
        status = ach_channel_info(data, &info);
    if (status != ACH_OK)
        return status;
    w->sourced = info.sourced;
    w->inode = info.inode;
    if (info.map != ACH_MAP_USER || ach_channel_path(name, w->path, sizeof(w->path)) != ACH_OK)
        *w->path = '\0';
    return ach_sim_active && ach_sim_active() ? ACH_OK : watch_process(w);
}

int devch_watch_fd(const struct devch_watch *w)
{
    return w->epoll < 0 ? w->data_fd : w->epoll;
}

double devch_watch_period(const struct devch_watch *w)
{
    return w->epoll < 0 ? DEV_LONG_WAIT : PERIOD_SECONDS;
}

void devch_watch_end(struct devch_watch *w)
{
    if (w->epoll >= 0)
        close(w->epoll);
    if (w->fd >= 0)
        close(w->fd);
}

/* Replace fd by an eventfd that stays readable. Closing fd first frees a descriptor for it. */
void devch_watch_set_ended(struct devch_watch *w)
{
    if (w->ended)
        return;
    w->ended = true;
    if (w->epoll < 0)
        return;
    close(w->fd);
    w->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    watch_add(w, w->fd);
}

/* The kernel releases the source lock when its holder exits. */
static bool lost_source(const struct devch_watch *w)
{
    ach_info_t info;

    return w->sourced && ach_channel_info(w->data, &info) == ACH_OK && !info.sourced;
}

static bool was_killed(const struct devch_watch *w)
{
    struct pollfd p = {.fd = w->fd, .events = POLLIN};

    if (w->fd < 0 || poll(&p, 1, 0) != 1)
        return false;
    if (!w->locks)
        return true;
    dev_wakeup_clear(w->fd);
    return lost_source(w);
}

/* Another server may use the name by now. Our inode is not reused while the channel is open. */
static bool lost_name(const struct devch_watch *w)
{
    struct stat s;

    if (!*w->path)
        return false;
    return stat(w->path, &s) == 0 ? s.st_ino != w->inode : errno == ENOENT;
}

bool devch_watch_ended(struct devch_watch *w)
{
    if (!w->ended && (lost_name(w) || was_killed(w)))
        devch_watch_set_ended(w);
    return w->ended;
}
