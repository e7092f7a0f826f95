/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sources.c - the source lock that several handles of one process share
 *
 * In Ach 2 the lock belonged to the process, so two of its handles could have it. Here it belongs
 * to an open file: this list has a descriptor of that file for as long as one of the handles is
 * open. On a single-writer channel it is not shared, because two handles would write into each
 * other's reservations.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "handle.h"
#include "kernel.h"

struct achi_sources {
    struct achi_sources *next;
    unsigned handles;
    uint64_t process; /* a child of fork has a copy, and not the lock */
    dev_t device;
    ino_t inode;
    int fd;
    uint32_t turn;
};

static struct achi_sources *all;

static struct achi_sources *find(const struct stat *st)
{
    struct achi_sources *s = all;

    while (s && (s->process != achi_thread()->process || s->device != st->st_dev ||
                 s->inode != st->st_ino))
        s = s->next;
    return s;
}

static enum ach_status lock_alone(struct achi_handle *h, const char *name)
{
    return achi_in_kernel(h) ? achi_kernel_lock_source(h, name) : achi_shm_lock_source(h, name);
}

static void unlock_alone(const struct achi_handle *h, int fd)
{
    if (!achi_in_kernel(h))
        achi_shm_unlock_source(h, fd);
}

/* The handle is the first source of this process. */
static enum ach_status begin(struct achi_handle *h, const char *name, const struct stat *st)
{
    struct achi_sources *s = calloc(1, sizeof(*s));
    enum ach_status r;

    if (!s)
        return achi_fail_errno("no memory for a source");
    r = lock_alone(h, name);
    if (r != ACH_OK) {
        free(s);
        return r;
    }
    s->fd = fcntl(h->fd, F_DUPFD_CLOEXEC, 0);
    if (s->fd < 0) {
        r = achi_fail_errno("no descriptor for the source lock of channel '%s'", name);
        unlock_alone(h, h->fd);
        free(s);
        return r;
    }
    s->process = achi_thread()->process;
    s->device = st->st_dev;
    s->inode = st->st_ino;
    s->turn = h->source_turn;
    s->next = all;
    all = s;
    h->sources = s;
    return ACH_OK;
}

enum ach_status achi_source_lock(struct achi_handle *h, const char *name)
{
    enum ach_status r = ACH_OK;
    struct stat st;

    if (h->view.flags & ACHI_F_SINGLE_WRITER)
        return lock_alone(h, name);
    if (fstat(h->fd, &st) != 0)
        return achi_fail_errno("cannot be the source of channel '%s'", name);
    achi_list_lock(&achi_process->sources);
    h->sources = find(&st);
    if (!h->sources)
        r = begin(h, name, &st);
    if (r == ACH_OK) {
        h->sources->handles++;
        h->source_turn = h->sources->turn;
    }
    achi_list_unlock(&achi_process->sources);
    return r;
}

void achi_source_unlock(struct achi_handle *h)
{
    struct achi_sources **p = &all, *s = h->sources;

    if (!s) {
        if (achi_is_source(h))
            unlock_alone(h, h->fd);
        return;
    }
    achi_list_lock(&achi_process->sources);
    if (--s->handles == 0) {
        while (*p != s)
            p = &(*p)->next;
        *p = s->next;
        if (achi_is_source(h))
            unlock_alone(h, s->fd);
        close(s->fd);
        free(s);
    }
    achi_list_unlock(&achi_process->sources);
}
