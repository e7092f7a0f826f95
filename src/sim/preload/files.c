/* SPDX-License-Identifier: BSD-3-Clause */
#include "files.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "refuse.h"

#define FILES_MAX 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct achi_file *by_number[FILES_MAX];
static struct achi_file *all;
static bool inherited[FILES_MAX]; /* timers of the process that forked this one */

void achi_files_lock(void)
{
    achi_sim_hold();
    REAL(pthread_mutex_lock)(&lock);
}

void achi_files_unlock(void)
{
    REAL(pthread_mutex_unlock)(&lock);
    achi_sim_release();
}

struct achi_file *achi_file_find(int fd)
{
    if (fd < 0 || fd >= FILES_MAX)
        return NULL;
    return __atomic_load_n(&by_number[fd], __ATOMIC_ACQUIRE);
}

struct achi_file *achi_file_add(enum achi_file_kind kind, int flags)
{
    struct achi_file *f = calloc(1, sizeof(*f));
    int fd;

    if (!f)
        return NULL;
    fd = REAL(eventfd)(0, flags);
    if (fd < 0 || fd >= FILES_MAX) {
        if (fd >= 0) {
            syscall(SYS_close, fd);
            errno = EMFILE;
        }
        free(f);
        return NULL;
    }
    f->kind = kind;
    f->fd = fd;
    inherited[fd] = false;
    achi_files_lock();
    f->link = all;
    all = f;
    __atomic_store_n(&by_number[fd], f, __ATOMIC_RELEASE);
    achi_files_unlock();
    return f;
}

void achi_file_remove(int fd)
{
    struct achi_file **p, *f;

    achi_files_lock();
    f = achi_file_find(fd);
    if (f) {
        for (p = &all; *p != f; p = &(*p)->link)
            ;
        *p = f->link;
        __atomic_store_n(&by_number[fd], NULL, __ATOMIC_RELEASE);
    }
    achi_files_unlock();
    free(f);
}

/* The descriptors are the parent's, and a thread that is not here may have had the lock. */
void achi_files_forget(void)
{
    struct achi_file *f;

    for (f = all; f; f = f->link) {
        by_number[f->fd] = NULL;
        inherited[f->fd] = f->kind == ACHI_FILE_TIMER;
    }
    all = NULL;
    pthread_mutex_init(&lock, NULL);
}

static bool is_due(const struct achi_file *f)
{
    if (f->kind == ACHI_FILE_CHANNEL)
        return achi_channel_news(f->chan);
    return f->next && achi_sim_now() >= f->next;
}

void achi_file_refresh(struct achi_file *f)
{
    uint64_t count = 1;
    bool due = is_due(f);
    int saved = errno;

    if (due != f->up)
        syscall(due ? SYS_write : SYS_read, f->fd, &count, sizeof(count));
    f->up = due;
    errno = saved;
}

void achi_files_refresh(void)
{
    struct achi_file *f;

    if (!all)
        return;
    achi_files_lock();
    for (f = all; f; f = f->link)
        achi_file_refresh(f);
    achi_files_unlock();
}

achi_event_t achi_files_event(void)
{
    return achi_local_event(&all);
}

/*
 * When the next timer expires, and the events of all channels. A timer that has expired, and that
 * nobody has read, ends no wait for another one.
 */
static int64_t gather(struct achi_events *e)
{
    int64_t next = ACHI_SIM_NEVER;
    struct achi_file *f;

    achi_events_add(e, achi_files_event());
    achi_files_lock();
    for (f = all; f; f = f->link) {
        if (f->kind == ACHI_FILE_CHANNEL) {
            achi_events_add(e, f->event);
            continue;
        }
        achi_file_refresh(f);
        if (f->next && !f->up && f->next < next)
            next = f->next;
    }
    achi_files_unlock();
    return next;
}

/* As achi_block; but what timers do next can change from one wait to the other. */
static bool watch(int64_t until, bool foreign, struct achi_events *result, achi_look_fun *look,
                  void *cx)
{
    bool last = false;

    for (;;) {
        struct achi_events e = {.signals = result->signals};
        uint64_t since = achi_sim_posts();
        int64_t next;

        achi_sim_act();
        if (look(cx))
            return true;
        if (last || result->interrupted)
            return false;
        if (foreign) {
            achi_events_add(&e, ACHI_EVENT_POLL);
            achi_events_add(&e, achi_bell_event());
            achi_events_add(&e, achi_stream_event());
        }
        next = gather(&e);
        last = achi_wait(next < until ? next : until, &e, since) && next >= until;
        result->interrupted = e.interrupted;
        pthread_testcancel();
    }
}

int achi_watch(int64_t until, bool foreign, enum achi_restart signals, achi_look_fun *look,
               void *cx)
{
    struct achi_events e = {.signals = signals};
    bool found;

    achi_local_post_pending();
    achi_local_enter(achi_files_event());
    achi_local_enter(achi_bell_event());
    found = watch(until, foreign, &e, look, cx);
    achi_local_leave(achi_bell_event());
    achi_local_leave(achi_files_event());
    achi_sim_cycle();
    if (found || !e.interrupted)
        return found;
    errno = EINTR;
    return -1;
}

void achi_file_check(int fd)
{
    if (fd >= 0 && fd < FILES_MAX && inherited[fd] && achi_sim_free())
        achi_refuse("timerfd_inherited: a timerfd of the process that called fork",
                    "make one with timerfd_create after fork");
}

bool achi_file_foreign(int fd)
{
    achi_file_check(fd);
    return fd >= 0 && !achi_file_find(fd);
}

/* The number is free, or will be another file's. */
static void forget(int fd)
{
    const struct achi_file *f = achi_file_find(fd);

    if (f && f->kind == ACHI_FILE_TIMER) /* that of a channel belongs to its handle */
        achi_file_remove(fd);
    achi_bell_set(fd, false);
    if (fd >= 0 && fd < FILES_MAX && inherited[fd])
        inherited[fd] = false;
}

EXPORT int close(int fd)
{
    forget(fd);
    return REAL(close)(fd);
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    unsigned fd;

    for (fd = first; fd <= last && fd < FILES_MAX && !(flags & (int)CLOSE_RANGE_CLOEXEC); fd++)
        forget((int)fd);
    return REAL(close_range)(first, last, flags);
}

EXPORT void closefrom(int first)
{
    close_range(first < 0 ? 0 : (unsigned)first, ~0u, 0);
}

void achi_file_copied(int fd, int copy)
{
    const struct achi_file *f = achi_file_find(fd);

    if (copy < 0 || copy == fd)
        return;
    achi_file_check(fd);
    if (f && f->kind == ACHI_FILE_TIMER)
        achi_refuse("timerfd_copied: a copy of a timerfd",
                    "use the descriptor that timerfd_create has returned");
    forget(copy);
    achi_bell_copy(fd, copy);
}

EXPORT int dup(int fd)
{
    int copy = REAL(dup)(fd);

    achi_file_copied(fd, copy);
    return copy;
}

EXPORT int dup2(int fd, int copy)
{
    int r = REAL(dup2)(fd, copy);

    achi_file_copied(fd, r);
    return r;
}

EXPORT int dup3(int fd, int copy, int flags)
{
    int r = REAL(dup3)(fd, copy, flags);

    achi_file_copied(fd, r);
    return r;
}
