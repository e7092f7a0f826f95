/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "thread.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct achi_handle *sources;

static int set_lock(int fd, short type)
{
    struct flock all = {.l_type = type, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_SETLK, &all);
}

/* The same descriptor, for the same file, opened anew; if that cannot be, it stays as it is. */
static void reopen(int fd)
{
    char self[32];
    int own;

    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    own = open(self, O_RDWR | O_CLOEXEC);
    if (own < 0)
        return;
    dup3(own, fd, O_CLOEXEC);
    close(own);
}

static void before_fork(void)
{
    pthread_mutex_lock(&mutex);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&mutex);
}

static void in_child(void)
{
    for (; sources; sources = sources->next_source)
        reopen(sources->fd);
    pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void watch_fork(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

int achi_source_lock(struct achi_handle *h)
{
    int r, saved;

    pthread_mutex_lock(&mutex);
    reopen(h->fd);
    r = set_lock(h->fd, F_WRLCK);
    saved = errno;
    if (r == 0) {
        h->next_source = sources;
        sources = h;
    }
    pthread_mutex_unlock(&mutex);
    errno = saved == EACCES ? EAGAIN : saved;
    return r;
}

void achi_source_unlock(struct achi_handle *h)
{
    struct achi_handle **at = &sources;

    pthread_mutex_lock(&mutex);
    while (*at && *at != h)
        at = &(*at)->next_source;
    if (*at)
        *at = h->next_source;
    if (achi_is_source(h))
        set_lock(h->fd, F_UNLCK);
    pthread_mutex_unlock(&mutex);
}
