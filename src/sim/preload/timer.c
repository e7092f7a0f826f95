/* SPDX-License-Identifier: BSD-3-Clause */
/* timer.c - timerfd */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "stream.h"

EXPORT int timerfd_create(int clock, int flags)
{
    struct achi_file *f;

    if (!achi_sim_free() || !achi_clock_virtual(clock) || (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)))
        return REAL(timerfd_create)(clock, flags);
    f = achi_file_add(ACHI_FILE_TIMER, flags);
    if (!f)
        return -1;
    f->clock = clock;
    return f->fd;
}

/* How often it has expired; afterwards it is set for the next time. */
static uint64_t expirations(struct achi_file *f)
{
    int64_t now = achi_sim_now();
    uint64_t n;

    if (!f->next || now < f->next)
        return 0;
    if (!f->interval) {
        f->next = 0;
        return 1;
    }
    n = 1 + (uint64_t)((now - f->next) / f->interval);
    f->next += (int64_t)n * f->interval;
    return n;
}

static void current_setting(const struct achi_file *f, struct itimerspec *t)
{
    int64_t now = achi_sim_now(), next = f->next;

    if (next && next <= now) /* as if the expirations that nobody read were over */
        next = f->interval ? next + (1 + (now - next) / f->interval) * f->interval : 0;
    t->it_value = achi_timespec(next ? next - now : 0);
    t->it_interval = achi_timespec(f->interval);
}

static bool valid(const struct timespec *t)
{
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S;
}

/* A point in time that is over is one that has just come; 0 would mean never. */
static int64_t first(const struct achi_file *f, int flags, const struct timespec *value)
{
    int64_t t;

    if (value->tv_sec == 0 && value->tv_nsec == 0)
        return 0;
    t = flags & TFD_TIMER_ABSTIME ? achi_clock_point(f->clock, value)
                                  : achi_after(achi_sim_now(), achi_ns(value));
    return t > 0 ? t : 1;
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value,
                           struct itimerspec *old)
{
    struct achi_file *f = achi_file_find(fd);

    if (!f || f->kind != ACHI_FILE_TIMER) {
        achi_file_check(fd);
        return REAL(timerfd_settime)(fd, flags, value, old);
    }
    if (!valid(&value->it_value) || !valid(&value->it_interval)) {
        errno = EINVAL;
        return -1;
    }
    achi_sim_now();
    achi_files_lock();
    if (old)
        current_setting(f, old);
    f->next = first(f, flags, &value->it_value);
    f->interval = achi_ns(&value->it_interval);
    achi_file_refresh(f);
    achi_files_unlock();
    achi_local_post(achi_files_event());
    return 0;
}

EXPORT int timerfd_gettime(int fd, struct itimerspec *value)
{
    struct achi_file *f = achi_file_find(fd);

    if (!f || f->kind != ACHI_FILE_TIMER) {
        achi_file_check(fd);
        return REAL(timerfd_gettime)(fd, value);
    }
    achi_sim_now();
    achi_files_lock();
    current_setting(f, value);
    achi_files_unlock();
    return 0;
}

struct reading {
    struct achi_file *file;
    uint64_t count;
};

static bool look_at_timer(void *cx)
{
    struct reading *r = cx;

    achi_sim_now();
    achi_files_lock();
    r->count = expirations(r->file);
    achi_file_refresh(r->file);
    achi_files_unlock();
    return r->count != 0;
}

static ssize_t read_timer(struct achi_file *f, void *buf, size_t size)
{
    struct reading r = {f, 0};

    if (size < sizeof(r.count)) {
        errno = EINVAL;
        return -1;
    }
    achi_sim_act();
    if (!look_at_timer(&r)) {
        errno = EAGAIN;
        if (!(fcntl(f->fd, F_GETFL) & O_NONBLOCK))
            achi_watch(ACHI_SIM_NEVER, false, ACHI_RESTARTS, look_at_timer, &r);
    }
    if (!r.count)
        return -1;
    memcpy(buf, &r.count, sizeof(r.count));
    return sizeof(r.count);
}

EXPORT ssize_t read(int fd, void *buf, size_t size)
{
    struct achi_file *f = achi_file_find(fd);

    if (__builtin_expect(f && f->kind == ACHI_FILE_TIMER, 0))
        return read_timer(f, buf, size);
    return achi_stream_read(fd, buf, size);
}

EXPORT ssize_t __read_chk(int fd, void *buf, size_t size, size_t room);

/* What programs that were compiled with checks call. */
EXPORT ssize_t __read_chk(int fd, void *buf, size_t size, size_t room)
{
    struct achi_file *f = achi_file_find(fd);

    if (__builtin_expect(f && f->kind == ACHI_FILE_TIMER, 0) && size <= room)
        return read_timer(f, buf, size);
    return size <= room ? achi_stream_read(fd, buf, size) : REAL(__read_chk)(fd, buf, size, room);
}
