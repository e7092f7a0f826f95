/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle.h - the private part of an ach_channel_t
 *
 * The public structure holds the fields that programs use, and a pointer to
 * this one. The geometry in here was checked once at open; it is never read
 * from shared memory again.
 */
#ifndef ACHI_HANDLE_H
#define ACHI_HANDLE_H

#include <ach.h>

#include "../core/get.h"
#include "../core/put.h"
#include "anticipate.h"
#include "thread.h"

/* Identifies the wake file of a channel: see wakefile.h. */
struct achi_wake_id {
    uint64_t inode;
    uint32_t number;
};

struct achi_handle {
    struct achi_view view;    /* first: the core's callbacks find the handle by it */
    struct achi_ready *ready; /* for ach_channel_fd; NULL: not called yet */
    struct achi_look look;    /* what ach_view returned last; look.entry NULL: nothing */
    struct achi_room room;    /* the reservation of ach_reserve, on a single-writer channel */
    uint64_t reserved;        /* bytes of the open reservation, 0: none */
    unsigned char *buffer;    /* the reservation, on other channels */
    size_t buffer_size;
    uint64_t slept;
    uint64_t spin_ns;
    struct achi_anticipation anticipation;
    uint64_t lock_timeout_ns;
    uint64_t pidns;         /* may put only in this PID namespace, unless private */
    size_t span;            /* bytes of address space mapped */
    struct achi_area *area; /* the mapping, for the SIGBUS handler; NULL: not a file */
    uint64_t memory;        /* bytes of memory */
    uint64_t frame_size;
    uint64_t type_off;      /* of the type, from the start of the memory */
    uint32_t type_size;     /* 0: none */
    struct achi_type *type; /* a checked copy of it; NULL: not needed yet */
    enum ach_map map;
    int fd;               /* the file; -1 for a heap channel */
    bool readonly;        /* cannot put; mapped read-only */
    bool special;         /* ach_put must call put_carefully */
    bool source;          /* holds the source lock */
    bool private_;        /* only this process has the memory */
    uint32_t cancels;     /* kernel channels: the count of cancels that the last wait returned */
    uint32_t source_turn; /* the byte of the file that it locked as source (see source.c) */
    struct achi_sources *sources; /* that it shares the lock with; NULL: none */
    uint64_t source_owner; /* the process that took the source lock; a child does not hold it */
    uint64_t fd_owner;     /* the process that opened a kernel channel's device */
    uint32_t *wake;        /* the wake word; NULL: not mapped */
    struct achi_wake_id wake_id;
    bool sleeps_on_wake; /* false: sleeps on the commit word alone */
    bool settled;        /* true: all writers wake on the commit word too */
    bool asked;          /* waiters have been asked to sleep on both words */
    uint32_t asked_at;   /* the commit word then */
    char name[ACH_CHAN_NAME_MAX];
    uint32_t life;            /* grows with each close: handles with another one are closed */
    struct achi_handle *next; /* in the list of closed ones */
};

_Static_assert(sizeof(struct achi_cursor) == sizeof(((ach_channel_t *)0)->position), "position");

static inline struct achi_cursor *achi_cursor_of(ach_channel_t *chan)
{
    return (struct achi_cursor *)chan->position;
}

static inline const struct achi_cursor *achi_cursor_in(const ach_channel_t *chan)
{
    return (const struct achi_cursor *)chan->position;
}

/*
 * The private part of an open handle; NULL: it is closed. The memory of a closed one is not freed
 * but used again, so a copy can still be checked.
 */
static inline struct achi_handle *achi_handle_in(const ach_channel_t *chan)
{
    struct achi_handle *h = chan->priv;

    return h && h->life == chan->life ? h : NULL;
}

static inline const struct achi_handle *achi_handle_of(const struct achi_view *v)
{
    return (const struct achi_handle *)v;
}

/* The lock holds thread ids, which mean the same in one PID namespace only. */
static inline bool achi_same_namespace(const struct achi_handle *h)
{
    return h->private_ || (h->pidns && h->pidns == achi_thread()->pidns);
}

/* A child of fork inherits its parent's handles, but not the source lock. */
static inline bool achi_is_source(const struct achi_handle *h)
{
    return h->source && h->source_owner == achi_thread()->process;
}

struct achi_handle *achi_handle_new(void); /* zeroed but for its life; NULL: no memory */
void achi_handle_end(struct achi_handle *h);

/* Lock a list of this process; the lock is a word of achi_process. */
void achi_list_lock(uint32_t *lock);
void achi_list_unlock(uint32_t *lock);

/* sources.c: be a source of a named channel, alone or with other handles of this process. */
enum ach_status achi_source_lock(struct achi_handle *h, const char *name);
void achi_source_unlock(struct achi_handle *h);

/* Backends: create a channel; map an existing one and fill in view, span, memory, fd and map. */
enum ach_status achi_shm_create(const char *name, const struct achi_geometry *g,
                                const ach_create_attr_t *attr, clockid_t clock);
enum ach_status achi_shm_open(struct achi_handle *h, const char *name, bool readonly);
void achi_shm_close(struct achi_handle *h);
enum ach_status achi_shm_lock_source(struct achi_handle *h, const char *name);
void achi_shm_unlock_source(const struct achi_handle *h, int fd);

/* Is a handle of any process the source? *pid: its process, 0: unknown. */
bool achi_shm_sourced(const struct achi_handle *h, uint32_t *pid);

/* Notify the users of the channel in the file path that it was replaced. False: not possible. */
bool achi_shm_replaced(const char *name, const char *path);

enum ach_status achi_heap_create(const struct achi_geometry *g, ach_create_attr_t *attr,
                                 clockid_t clock);
enum ach_status achi_heap_open(struct achi_handle *h, struct ach_header *shm);
void achi_heap_close(struct achi_handle *h);
bool achi_heap_lock_source(struct achi_handle *h);

#endif
