/* SPDX-License-Identifier: BSD-3-Clause */
#include "files.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES_MAX 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct achi_file *by_number[FILES_MAX];
static struct achi_file *all;

void achi_files_lock(void)
{
    REAL(pthread_mutex_lock)(&lock);
}

void achi_files_unlock(void)
{
    REAL(pthread_mutex_unlock)(&lock);
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
    fd = eventfd(0, flags);
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

int64_t achi_files_next(void)
{
    int64_t next = ACHI_SIM_NEVER;
    const struct achi_file *f;

    achi_files_lock();
    for (f = all; f; f = f->link)
        if (f->kind == ACHI_FILE_TIMER && f->next && !f->up && f->next < next)
            next = f->next;
    achi_files_unlock();
    return next;
}

achi_event_t achi_files_event(void)
{
    return achi_local_event(&all);
}

void achi_files_events(struct achi_events *e)
{
    const struct achi_file *f;

    achi_files_lock();
    for (f = all; f; f = f->link)
        achi_events_add(e, f->kind == ACHI_FILE_CHANNEL ? f->event : achi_files_event());
    achi_files_unlock();
}

bool achi_file_foreign(int fd)
{
    return fd >= 0 && !achi_file_find(fd);
}

EXPORT int close(int fd)
{
    const struct achi_file *f = achi_file_find(fd);

    if (f && f->kind == ACHI_FILE_TIMER) /* that of a channel belongs to its handle */
        achi_file_remove(fd);
    return REAL(close)(fd);
}
