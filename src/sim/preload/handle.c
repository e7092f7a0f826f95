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

/* A handle is identified by its private part: programs may move the public struct. */
struct known {
    const struct achi_handle *priv;
    sim_event_t event;
    bool answers; /* a channel on which a device answers requests */
    int fd;       /* -1: it has no descriptor */
    struct known *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *table[BUCKETS];

static void take_lock(void)
{
    simc_hold();
    REAL(pthread_mutex_lock)(&lock);
}

static void drop_lock(void)
{
    REAL(pthread_mutex_unlock)(&lock);
    simc_release();
}

void simp_handles_forked(void)
{
    struct known *k;
    unsigned i;

    for (i = 0; i < BUCKETS; i++)
        for (k = table[i]; k; k = k->next)
            k->fd = -1;
    pthread_mutex_init(&lock, NULL);
}

static struct known **handle_find(const struct achi_handle *priv)
{
    struct known **p = &table[((uintptr_t)priv >> 6) % BUCKETS];

    while (*p && (*p)->priv != priv)
        p = &(*p)->next;
    return p;
}

/* The names of these channels are defined in src/device/channel/names.h. */
static bool names_answers(const char *name)
{
    const char *end = strrchr(name, '.');

    return strncmp(name, "dev.", 4) == 0 && strcmp(end, ".ans") == 0;
}

void simp_handle_add(const ach_channel_t *chan, const char *name)
{
    struct known *k = malloc(sizeof(*k));

    if (!k)
        return;
    k->priv = chan->priv;
    k->event = name ? simc_event_channel(name) : simp_local_event(chan->shm);
    k->answers = name && names_answers(name);
    k->fd = -1;
    take_lock();
    k->next = *handle_find(k->priv);
    *handle_find(k->priv) = k;
    drop_lock();
}

void simp_handle_remove(const ach_channel_t *chan)
{
    struct known **p, *k;

    take_lock();
    p = handle_find(chan->priv);
    k = *p;
    if (k)
        *p = k->next;
    drop_lock();
    if (k && k->fd >= 0) {
        simp_file_remove(k->fd);
        close(k->fd);
    }
    free(k);
}

/* Copy the entry of a handle. False: it is not registered. */
static bool ask(const ach_channel_t *chan, struct known *copy)
{
    const struct known *k;

    take_lock();
    k = *handle_find(chan->priv);
    if (k)
        *copy = *k;
    drop_lock();
    return k != NULL;
}

sim_event_t simp_handle_event(const ach_channel_t *chan)
{
    struct known k;

    return ask(chan, &k) ? k.event : SIM_EVENT_POLL;
}

bool simp_handle_answers(const ach_channel_t *chan)
{
    struct known k;

    return ask(chan, &k) && k.answers;
}

void simp_handle_moved(ach_channel_t *chan)
{
    struct known k;
    struct simp_file *f;

    if (!chan || !ask(chan, &k) || k.fd < 0)
        return;
    simp_files_lock();
    f = simp_file_find(k.fd);
    if (f)
        simp_file_refresh(f);
    simp_files_unlock();
}

static int make_descriptor(ach_channel_t *chan, sim_event_t event)
{
    struct simp_file *f = simp_file_add(SIMP_FILE_CHANNEL, EFD_CLOEXEC | EFD_NONBLOCK);

    if (!f)
        return -1;
    simp_files_lock();
    f->chan = chan;
    f->event = event;
    simp_file_refresh(f);
    simp_files_unlock();
    return f->fd;
}

static void set_descriptor(const struct achi_handle *priv, int fd)
{
    struct known *k;

    take_lock();
    k = *handle_find(priv);
    if (k)
        k->fd = fd;
    drop_lock();
}

/* libach would use an io_uring or a helper thread; neither follows virtual time. */
EXPORT enum ach_status ach_channel_fd(const ach_channel_t *chan, int *fd)
{
    struct known k;

    if (!simc_free() || !chan || !fd || !chan->priv || !ask(chan, &k))
        return REAL(ach_channel_fd)(chan, fd);
    if (k.fd < 0) {
        k.fd = make_descriptor((ach_channel_t *)(uintptr_t)chan, k.event);
        if (k.fd < 0)
            return REAL(ach_errstr_set)(ACH_FAILED_SYSCALL, "cannot create an eventfd");
        set_descriptor(chan->priv, k.fd);
    }
    *fd = k.fd;
    return ACH_OK;
}
