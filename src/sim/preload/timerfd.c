/* SPDX-License-Identifier: BSD-3-Clause */
/* timerfd.c - timerfd */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "stream.h"

EXPORT int timerfd_create(int clock, int flags)
{
    struct simp_file *f;

    if (!simc_free())
        return REAL(timerfd_create)(clock, flags);
    if (!simp_clock_has_timers(clock) || clock == CLOCK_TAI ||
        (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC))) {
        errno = EINVAL;
        return -1;
    }
    f = simp_file_add(SIMP_FILE_TIMER, flags);
    if (!f)
        return -1;
    f->clock = clock;
    return f->fd;
}

/* Returns the expirations since the last read, and sets the next expiration. */
static uint64_t expirations(struct simp_file *f)
{
    int64_t now = simc_now();
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

static void current_setting(const struct simp_file *f, struct itimerspec *t)
{
    int64_t now = simc_now(), next = f->next;

    if (next && next <= now) /* skip expirations that were not read yet */
        next = f->interval ? next + (1 + (now - next) / f->interval) * f->interval : 0;
    t->it_value = simp_timespec(next ? next - now : 0);
    t->it_interval = simp_timespec(f->interval);
}

/* The first expiration. Never returns 0 for an armed timer: 0 means disarmed. */
static int64_t first(const struct simp_file *f, int flags, const struct timespec *value)
{
    int64_t t;

    if (value->tv_sec == 0 && value->tv_nsec == 0)
        return 0;
    t = flags & TFD_TIMER_ABSTIME ? simp_clock_point(f->clock, value)
                                  : simp_after(simc_now(), simp_ns(value));
    return t > 0 ? t : 1;
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value,
                           struct itimerspec *old)
{
    struct simp_file *f = simp_file_find(fd);

    if (!f || f->kind != SIMP_FILE_TIMER) {
        simp_file_check(fd);
        return REAL(timerfd_settime)(fd, flags, value, old);
    }
    if ((flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) ||
        !simp_timespec_valid(&value->it_value) || !simp_timespec_valid(&value->it_interval)) {
        errno = EINVAL;
        return -1;
    }
    simc_now();
    simp_files_lock();
    if (old)
        current_setting(f, old);
    f->next = first(f, flags, &value->it_value);
    f->interval = simp_ns(&value->it_interval);
    simp_file_refresh(f);
    simp_files_unlock();
    simp_local_post(simp_files_event());
    return 0;
}

EXPORT int timerfd_gettime(int fd, struct itimerspec *value)
{
    struct simp_file *f = simp_file_find(fd);

    if (!f || f->kind != SIMP_FILE_TIMER) {
        simp_file_check(fd);
        return REAL(timerfd_gettime)(fd, value);
    }
    simc_now();
    simp_files_lock();
    current_setting(f, value);
    simp_files_unlock();
    return 0;
}

struct timerfd_reading {
    struct simp_file *file;
    uint64_t count;
};

static bool look_at_timer(void *cx)
{
    struct timerfd_reading *r = cx;

    simc_now();
    simp_files_lock();
    r->count = expirations(r->file);
    simp_file_refresh(r->file);
    simp_files_unlock();
    return r->count != 0;
}

static ssize_t read_timer(struct simp_file *f, void *buf, size_t size)
{
    struct timerfd_reading r = {f, 0};

    if (size < sizeof(r.count)) {
        errno = EINVAL;
        return -1;
    }
    simc_act();
    if (!look_at_timer(&r)) {
        errno = EAGAIN;
        if (!(simc_raw3(SYS_fcntl, f->fd, F_GETFL, 0) & O_NONBLOCK))
            simp_watch(SIM_NEVER, false, SIMP_RESTARTS, look_at_timer, &r);
    }
    if (!r.count)
        return -1;
    memcpy(buf, &r.count, sizeof(r.count));
    return sizeof(r.count);
}

EXPORT ssize_t read(int fd, void *buf, size_t size)
{
    struct simp_file *f = simp_file_find(fd);

    if (__builtin_expect(f && f->kind == SIMP_FILE_TIMER, 0))
        return read_timer(f, buf, size);
    return simp_stream_read(fd, buf, size);
}

EXPORT ssize_t __read_chk(int fd, void *buf, size_t size, size_t room);

/* Called by programs that were compiled with _FORTIFY_SOURCE. */
EXPORT ssize_t __read_chk(int fd, void *buf, size_t size, size_t room)
{
    struct simp_file *f = simp_file_find(fd);

    if (__builtin_expect(f && f->kind == SIMP_FILE_TIMER, 0) && size <= room)
        return read_timer(f, buf, size);
    return size <= room ? simp_stream_read(fd, buf, size) : REAL(__read_chk)(fd, buf, size, room);
}
