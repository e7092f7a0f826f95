/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.c - the source lock of a channel in shared memory
 *
 * A source holds a write lock on a byte of the file, which needs write access and ends with
 * the process. A process with read access can take read locks on bytes, and so keep others
 * from write locks; it must not keep a channel from having a source. A source that finds such
 * a read lock goes without a lock, and sets UNLOCKED in source_turn: then it is the source as
 * long as its process lives. All of this is decided under the writers' lock, which a reader
 * cannot take.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "handle.h"
#include "lock.h"
#include "process.h"
#include "thread.h"

/* In source_turn: the source holds no lock on the file. */
#define UNLOCKED 0x80000000u

static int lock_turn(const struct achi_handle *h, int fd, short type)
{
    return achi_byte_lock(fd, (off_t)(h->source_turn & ~UNLOCKED), type);
}

static void set_turn(struct achi_handle *h, uint32_t turn)
{
    h->source_turn = turn;
    __atomic_store_n(&h->view.hdr->source_turn, turn, __ATOMIC_RELAXED);
}

/* Has the last source ended, or executed another program since? */
static bool source_gone(const struct ach_header *hdr)
{
    pid_t last = (pid_t)__atomic_load_n(&hdr->source, __ATOMIC_RELAXED);

    if (last == getpid() && __atomic_load_n(&hdr->source_image, __ATOMIC_RELAXED) != achi_image())
        return true;
    return last > 0 &&
           achi_process_ended(last, __atomic_load_n(&hdr->source_start, __ATOMIC_RELAXED));
}

/* Is there a source that is not this handle? */
static bool has_other(const struct achi_handle *h, uint32_t turn)
{
    return turn & UNLOCKED || achi_byte_written(h->fd, (off_t)turn);
}

/*
 * A child of fork shares the source's open file, and so the lock, even after the
 * source was killed. The next source does not wait for the child, but locks the
 * next byte.
 */
static enum ach_status take_turn(struct achi_handle *h, bool may_put)
{
    struct ach_header *hdr = h->view.hdr;
    uint32_t turn = __atomic_load_n(&hdr->source_turn, __ATOMIC_RELAXED);

    if (has_other(h, turn)) {
        if (!may_put || !source_gone(hdr))
            return ACH_EAGAIN;
        turn = (turn + 1) & ~UNLOCKED;
    }
    h->source_turn = turn;
    if (lock_turn(h, h->fd, F_WRLCK) != 0) {
        if (errno != EAGAIN && errno != EACCES)
            return achi_fail_errno("cannot lock the channel's file");
        if (!may_put || has_other(h, turn))
            return ACH_EAGAIN;
        turn |= UNLOCKED; /* a reader has a lock there */
    }
    if (turn != __atomic_load_n(&hdr->source_turn, __ATOMIC_RELAXED))
        set_turn(h, turn);
    __atomic_store_n(&hdr->source_image, achi_image(), __ATOMIC_RELAXED);
    __atomic_store_n(&hdr->source_start, achi_process_start(), __ATOMIC_RELAXED);
    __atomic_store_n(&hdr->source, may_put ? (uint32_t)getpid() : 0, __ATOMIC_RELAXED);
    return ACH_OK;
}

/* "process 42 (name) of user 1000", or nothing. */
static const char *describe(uint32_t pid, char *text, size_t size)
{
    char path[32], name[32] = "";
    struct stat st;
    FILE *in;
    int n;

    *text = '\0';
    snprintf(path, sizeof(path), "/proc/%u", pid);
    if (!pid || stat(path, &st) != 0)
        return text;
    snprintf(path, sizeof(path), "/proc/%u/comm", pid);
    in = fopen(path, "re");
    if (in) {
        n = fscanf(in, "%31[ -~]", name);
        fclose(in);
        name[n == 1 ? strlen(name) : 0] = '\0';
    }
    snprintf(text, size, ": process %u (%s) of user %u", pid, name, (unsigned)st.st_uid);
    return text;
}

/* Under the writers' lock, no other handle that may put can become the source meanwhile. */
enum ach_status achi_shm_lock_source(struct achi_handle *h, const char *name)
{
    uint32_t *lock = &h->view.hdr->lock;
    const bool may_put = achi_same_namespace(h);
    enum ach_status r = may_put ? achi_lock(&h->view, lock) : ACH_OK;
    uint32_t pid = 0;
    char who[96];
    int cancel;

    if (r != ACH_OK)
        return achi_fail(ACH_EAGAIN, "the writers' lock of channel '%s' is held, or damaged", name);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* it reads files under the lock */
    r = take_turn(h, may_put);
    if (may_put)
        achi_unlock(&h->view, lock);
    pthread_setcancelstate(cancel, NULL);
    if (r != ACH_EAGAIN)
        return r;
    achi_shm_sourced(h, &pid);
    return achi_fail(r, "channel '%s' has a source already%s", name,
                     describe(pid, who, sizeof(who)));
}

/* Unlock explicitly: a child of fork may keep the open file, and the lock with it. */
void achi_shm_unlock_source(const struct achi_handle *h, int fd)
{
    uint32_t turn = h->source_turn;

    if (turn & UNLOCKED)
        __atomic_compare_exchange_n(&h->view.hdr->source_turn, &turn, turn & ~UNLOCKED, 0,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    else
        lock_turn(h, fd, F_UNLCK);
}

bool achi_shm_sourced(const struct achi_handle *h, uint32_t *pid)
{
    const struct ach_header *hdr = h->view.hdr;
    const bool known = achi_same_namespace(h);

    *pid = 0;
    if (!achi_is_source(h) &&
        (!has_other(h, __atomic_load_n(&hdr->source_turn, __ATOMIC_RELAXED)) ||
         (known && source_gone(hdr))))
        return false;
    if (known)
        *pid = __atomic_load_n(&hdr->source, __ATOMIC_RELAXED);
    return true;
}
