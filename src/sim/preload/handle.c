/* SPDX-License-Identifier: BSD-3-Clause */
/* handle.c - open handles, their channels' events, and their descriptors */
#include "handle.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BUCKETS 256

/* A handle is known by its private part: programs may move the public one. */
struct known {
    const struct achi_handle *priv;
    achi_event_t event;
    bool answers; /* of devices */
    int fd;       /* -1: it has no descriptor */
    struct known *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *table[BUCKETS];

static void take_lock(void)
{
    achi_sim_hold();
    REAL(pthread_mutex_lock)(&lock);
}

static void drop_lock(void)
{
    REAL(pthread_mutex_unlock)(&lock);
    achi_sim_release();
}

void achi_handles_forked(void)
{
    struct known *k;
    unsigned i;

    for (i = 0; i < BUCKETS; i++)
        for (k = table[i]; k; k = k->next)
            k->fd = -1;
    pthread_mutex_init(&lock, NULL);
}

static struct known **find(const struct achi_handle *priv)
{
    struct known **p = &table[((uintptr_t)priv >> 6) % BUCKETS];

    while (*p && (*p)->priv != priv)
        p = &(*p)->next;
    return p;
}

/* As src/device/channel/names.h has it. */
static bool names_answers(const char *name)
{
    const char *end = strrchr(name, '.');

    return strncmp(name, "dev.", 4) == 0 && strcmp(end, ".ans") == 0;
}

void achi_handle_add(const ach_channel_t *chan, const char *name)
{
    struct known *k = malloc(sizeof(*k));

    if (!k)
        return;
    k->priv = chan->priv;
    k->event = name ? achi_event_channel(name) : achi_local_event(chan->shm);
    k->answers = name && names_answers(name);
    k->fd = -1;
    take_lock();
    k->next = *find(k->priv);
    *find(k->priv) = k;
    drop_lock();
}

void achi_handle_remove(const ach_channel_t *chan)
{
    struct known **p, *k;

    take_lock();
    p = find(chan->priv);
    k = *p;
    if (k)
        *p = k->next;
    drop_lock();
    if (k && k->fd >= 0) {
        achi_file_remove(k->fd);
        close(k->fd);
    }
    free(k);
}

/* What is known of a handle, in *copy. */
static bool ask(const ach_channel_t *chan, struct known *copy)
{
    const struct known *k;

    take_lock();
    k = *find(chan->priv);
    if (k)
        *copy = *k;
    drop_lock();
    return k != NULL;
}

achi_event_t achi_handle_event(const ach_channel_t *chan)
{
    struct known k;

    return ask(chan, &k) ? k.event : ACHI_EVENT_POLL;
}

bool achi_handle_answers(const ach_channel_t *chan)
{
    struct known k;

    return ask(chan, &k) && k.answers;
}

void achi_handle_moved(ach_channel_t *chan)
{
    struct known k;
    struct achi_file *f;

    if (!chan || !ask(chan, &k) || k.fd < 0)
        return;
    achi_files_lock();
    f = achi_file_find(k.fd);
    if (f)
        achi_file_refresh(f);
    achi_files_unlock();
}

bool achi_channel_news(ach_channel_t *chan)
{
    const struct timespec at_once = {0};
    ach_wait_item_t item = {.chan = chan};

    enum ach_status r;

    achi_guard();
    r = REAL(ach_wait)(&item, 1, &at_once, ACH_O_RELTIME);
    achi_unguard();
    return r != ACH_TIMEOUT;
}

static int make_descriptor(ach_channel_t *chan, achi_event_t event)
{
    struct achi_file *f = achi_file_add(ACHI_FILE_CHANNEL, EFD_CLOEXEC | EFD_NONBLOCK);

    if (!f)
        return -1;
    achi_files_lock();
    f->chan = chan;
    f->event = event;
    achi_file_refresh(f);
    achi_files_unlock();
    return f->fd;
}

static void set_descriptor(const struct achi_handle *priv, int fd)
{
    struct known *k;

    take_lock();
    k = *find(priv);
    if (k)
        k->fd = fd;
    drop_lock();
}

/* Neither a ring nor a helper thread: both know nothing of virtual time. */
EXPORT enum ach_status ach_channel_fd(const ach_channel_t *chan, int *fd)
{
    struct known k;

    if (!achi_sim_free() || !chan || !fd || !chan->priv || !ask(chan, &k))
        return REAL(ach_channel_fd)(chan, fd);
    if (k.fd < 0) {
        k.fd = make_descriptor((ach_channel_t *)(uintptr_t)chan, k.event);
        if (k.fd < 0)
            return REAL(ach_errstr_set)(ACH_FAILED_SYSCALL, "cannot make an eventfd");
        set_descriptor(chan->priv, k.fd);
    }
    *fd = k.fd;
    return ACH_OK;
}
