/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.c - who is the only source of a channel in shared memory
 *
 * A source locks a byte of the file for writing, which only who may write the file can, and
 * which ends with the process. A process that may only read the file can lock bytes for
 * reading, and so keep others from locks for writing; it must not keep a channel from having a
 * source. A source that finds such a lock does without one of its own, and says so in
 * source_turn: then it is the source for as long as its process lives. All that is decided
 * under the writers' lock, which a reader cannot take.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "handle.h"
#include "lock.h"
#include "process.h"
#include "thread.h"

/* In source_turn: the source has no lock of the file. */
#define UNLOCKED 0x80000000u

int achi_byte_lock(int fd, off_t byte, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    return fcntl(fd, F_OFD_SETLK, &lock);
}

/* A lock for reading would be granted beside others for reading. */
bool achi_byte_written(int fd, off_t byte)
{
    struct flock look = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    return fcntl(fd, F_OFD_GETLK, &look) != 0 || look.l_type != F_UNLCK;
}

static int lock_turn(const struct achi_handle *h, short type)
{
    return achi_byte_lock(h->fd, (off_t)(h->source_turn & ~UNLOCKED), type);
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
 * A child of fork has the source's open file, and so the lock, also when the
 * source was killed. Whoever comes then does not wait for the child but locks the
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
    if (lock_turn(h, F_WRLCK) != 0) {
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

/* Under the writers' lock nobody else can come who could put. */
enum ach_status achi_shm_lock_source(struct achi_handle *h, const char *name)
{
    uint32_t *lock = &h->view.hdr->lock;
    const bool may_put = achi_same_namespace(h);
    enum ach_status r = may_put ? achi_lock(&h->view, lock) : ACH_OK;
    uint32_t pid = 0;
    char who[96];

    if (r != ACH_OK)
        return achi_fail(ACH_EAGAIN, "the writers' lock of channel '%s' is held, or damaged", name);
    r = take_turn(h, may_put);
    if (may_put)
        achi_unlock(&h->view, lock);
    if (r != ACH_EAGAIN)
        return r;
    achi_shm_sourced(h, &pid);
    return achi_fail(r, "channel '%s' has a source already%s", name,
                     describe(pid, who, sizeof(who)));
}

/* The lock is given back, because a child of fork may have the descriptor too. */
void achi_shm_unlock_source(struct achi_handle *h)
{
    uint32_t turn = h->source_turn;

    if (turn & UNLOCKED)
        __atomic_compare_exchange_n(&h->view.hdr->source_turn, &turn, turn & ~UNLOCKED, 0,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    else
        lock_turn(h, F_UNLCK);
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
