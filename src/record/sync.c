/* SPDX-License-Identifier: BSD-3-Clause */
#include "sync.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The kernel reports a failure once; then the pages count as clean. Pipes cannot be synced. */
static void sync_now(struct record_sync *s)
{
    int error = fdatasync(s->fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;

    pthread_mutex_lock(&s->lock);
    if (!s->error)
        s->error = error;
    pthread_mutex_unlock(&s->lock);
}

static void *sync_run(void *sync)
{
    struct record_sync *s = sync;
    bool ended = false;

    while (!ended) {
        pthread_mutex_lock(&s->lock);
        while (!s->wanted && !s->ended)
            pthread_cond_wait(&s->changed, &s->lock);
        s->wanted = false;
        ended = s->ended;
        pthread_mutex_unlock(&s->lock);
        if (!ended)
            sync_now(s);
    }
    return NULL;
}

void record_sync_begin(struct record_sync *s, int fd)
{
    memset(s, 0, sizeof(*s));
    s->fd = fd;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->started = pthread_create(&s->thread, NULL, sync_run, s) == 0;
}

bool record_sync_want(struct record_sync *s)
{
    int error;

    pthread_mutex_lock(&s->lock);
    s->wanted = true;
    error = s->error;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    errno = error;
    return error == 0;
}

bool record_sync_end(struct record_sync *s)
{
    if (s->fd < 0)
        return true;
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->started)
        pthread_join(s->thread, NULL);
    sync_now(s);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    s->fd = -1;
    errno = s->error;
    return s->error == 0;
}
