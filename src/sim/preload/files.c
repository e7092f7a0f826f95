/* SPDX-License-Identifier: BSD-3-Clause */
#include "files.h"

#include <ach.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "refuse.h"

#define FILES_MAX 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct simp_file *by_number[FILES_MAX];
static struct simp_file *all;
static bool bells[FILES_MAX];     /* eventfds of the program */
static bool inherited[FILES_MAX]; /* timerfds of the process that forked this one */

void simp_files_lock(void)
{
    simc_hold();
    REAL(pthread_mutex_lock)(&lock);
}

void simp_files_unlock(void)
{
    REAL(pthread_mutex_unlock)(&lock);
    simc_release();
}

struct simp_file *simp_file_find(int fd)
{
    if (fd < 0 || fd >= FILES_MAX)
        return NULL;
    return __atomic_load_n(&by_number[fd], __ATOMIC_ACQUIRE);
}

struct simp_file *simp_file_add(enum simp_file_kind kind, int flags)
{
    struct simp_file *f = calloc(1, sizeof(*f));
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
    simp_files_lock();
    f->link = all;
    all = f;
    __atomic_store_n(&by_number[fd], f, __ATOMIC_RELEASE);
    simp_files_unlock();
    return f;
}

void simp_file_remove(int fd)
{
    struct simp_file **p, *f;

    simp_files_lock();
    f = simp_file_find(fd);
    if (f) {
        for (p = &all; *p != f; p = &(*p)->link)
            ;
        *p = f->link;
        __atomic_store_n(&by_number[fd], NULL, __ATOMIC_RELEASE);
    }
    simp_files_unlock();
    free(f);
}

/* The lock is made anew: a thread of the parent, missing here, may have held it. */
void simp_files_forget(void)
{
    struct simp_file *f;

    for (f = all; f; f = f->link) {
        by_number[f->fd] = NULL;
        inherited[f->fd] = f->kind == SIMP_FILE_TIMER;
    }
    all = NULL;
    pthread_mutex_init(&lock, NULL);
}

sim_event_t simp_eventfd_event(void)
{
    return simp_local_event(bells);
}

void simp_eventfd_set(int fd, bool is_bell)
{
    if (fd >= 0 && fd < FILES_MAX && bells[fd] != is_bell)
        bells[fd] = is_bell;
}

bool simp_eventfd_is(int fd)
{
    return fd >= 0 && fd < FILES_MAX && bells[fd];
}

/* copy is an eventfd if fd is one. */
static void files_copy_eventfd(int fd, int copy)
{
    simp_eventfd_set(copy, simp_eventfd_is(fd));
}

sim_event_t simp_stream_event(void)
{
    static sim_event_t event;

    if (!event)
        event = simc_event_channel("sim/streams"); /* not a possible name of a channel */
    return event;
}

/* Does the channel have a message to get? */
static bool has_news(ach_channel_t *chan)
{
    const struct timespec at_once = {0};
    ach_wait_item_t item = {.chan = chan};
    enum ach_status r;

    simp_guard();
    r = REAL(ach_wait)(&item, 1, &at_once, ACH_O_RELTIME);
    simp_unguard();
    return r != ACH_TIMEOUT;
}

static bool is_due(const struct simp_file *f)
{
    if (f->kind == SIMP_FILE_CHANNEL)
        return has_news(f->chan);
    return f->next && simc_now() >= f->next;
}

void simp_file_refresh(struct simp_file *f)
{
    uint64_t count = 1;
    bool due = is_due(f);
    int saved = errno;

    if (due != f->up)
        syscall(due ? SYS_write : SYS_read, f->fd, &count, sizeof(count));
    f->up = due;
    errno = saved;
}

void simp_files_refresh(void)
{
    struct simp_file *f;

    if (!all)
        return;
    simp_files_lock();
    for (f = all; f; f = f->link)
        simp_file_refresh(f);
    simp_files_unlock();
}

sim_event_t simp_files_event(void)
{
    return simp_local_event(&all);
}

/*
 * Returns the time of the next timer expiration; adds the events of all channels. A timer that has
 * expired but was not read is skipped, since it must not end a wait for another descriptor.
 */
static int64_t gather(struct simp_events *e)
{
    int64_t next = SIM_NEVER;
    struct simp_file *f;

    simp_events_add(e, simp_files_event());
    simp_files_lock();
    for (f = all; f; f = f->link) {
        if (f->kind == SIMP_FILE_CHANNEL) {
            simp_events_add(e, f->event);
            continue;
        }
        simp_file_refresh(f);
        if (f->next && !f->up && f->next < next)
            next = f->next;
    }
    simp_files_unlock();
    return next;
}

/* As simp_block, but the next timer expiration is computed anew before each wait. */
static bool watch(int64_t until, bool foreign, struct simp_events *result, simp_look_fun *look,
                  void *cx)
{
    bool last = false;

    for (;;) {
        struct simp_events e = {.signals = result->signals};
        uint64_t since = simc_posts();
        int64_t next;

        pthread_testcancel();
        simc_act();
        if (look(cx))
            return true;
        if (last || result->interrupted)
            return false;
        if (foreign) {
            simp_events_add(&e, SIM_EVENT_POLL);
            simp_events_add(&e, simp_eventfd_event());
            simp_events_add(&e, simp_stream_event());
        }
        next = gather(&e);
        last = simp_wait(next < until ? next : until, &e, since) && next >= until;
        result->interrupted = e.interrupted;
    }
}

int simp_watch(int64_t until, bool foreign, enum simp_restart signals, simp_look_fun *look,
               void *cx)
{
    struct simp_events e = {.signals = signals};
    bool found;

    simp_local_post_pending();
    simp_local_enter(simp_files_event());
    simp_local_enter(simp_eventfd_event());
    found = watch(until, foreign, &e, look, cx);
    simp_local_leave(simp_eventfd_event());
    simp_local_leave(simp_files_event());
    simc_cycle();
    if (found || !e.interrupted)
        return found;
    errno = EINTR;
    return -1;
}

void simp_file_check(int fd)
{
    if (fd >= 0 && fd < FILES_MAX && inherited[fd] && simc_free())
        simp_refuse("timerfd_inherited: a timerfd of the process that called fork",
                    "make one with timerfd_create after fork");
}

bool simp_file_foreign(int fd)
{
    simp_file_check(fd);
    return fd >= 0 && !simp_file_find(fd);
}

/* The descriptor is about to be closed or replaced. */
static void forget(int fd)
{
    const struct simp_file *f = simp_file_find(fd);

    if (f && f->kind == SIMP_FILE_TIMER) /* a channel's descriptor belongs to its handle */
        simp_file_remove(fd);
    simp_eventfd_set(fd, false);
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

void simp_file_copied(int fd, int copy)
{
    const struct simp_file *f = simp_file_find(fd);

    if (copy < 0 || copy == fd)
        return;
    simp_file_check(fd);
    if (f && f->kind == SIMP_FILE_TIMER)
        simp_refuse("timerfd_copied: a copy of a timerfd",
                    "use the descriptor that timerfd_create has returned");
    forget(copy);
    files_copy_eventfd(fd, copy);
}

EXPORT int dup(int fd)
{
    int copy = REAL(dup)(fd);

    simp_file_copied(fd, copy);
    return copy;
}

EXPORT int dup2(int fd, int copy)
{
    int r = REAL(dup2)(fd, copy);

    simp_file_copied(fd, r);
    return r;
}

EXPORT int dup3(int fd, int copy, int flags)
{
    int r = REAL(dup3)(fd, copy, flags);

    simp_file_copied(fd, r);
    return r;
}
