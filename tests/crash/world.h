/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world.h - a channel on which one operation is about to be killed
 *
 * Each kill point gets a world of its own: a new channel with known messages,
 * a handle opened before the operation, and for some operations a second
 * process: a reader asleep, or a writer stopped while it holds the lock. After
 * the kill the world is checked to be in an allowed state.
 */
#ifndef CRASH_WORLD_H
#define CRASH_WORLD_H

#include <ach.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace.h"

#define WORLD_NAME "crash"
#define WORLD_SPARE "crash-spare"
#define WORLD_MESSAGES_MAX 64
#define WORLD_SIZE_MAX 8192
#define WORLD_VIEWERS 12

/* What an operation that was not killed would have done. */
enum effect {
    EFFECT_NONE,
    EFFECT_PUT,     /* one more message */
    EFFECT_CREATE,  /* a channel that was not there */
    EFFECT_REPLACE, /* an empty channel in the place of the old one */
    EFFECT_UNLINK   /* no channel */
};

/* What the second process does. */
enum company {
    ALONE,
    SLEEPER,          /* a reader waits for the message */
    SLEEPER_READONLY, /* a reader that cannot write waits for it */
    HOLDER,           /* a writer holds the lock, and continues when the operation waits for it */
    HOLDER_DIES,      /* a writer holds the lock, and is killed when the operation waits for it */
    HOLDER_DEAD,      /* a writer died holding the lock */
    PUTTER            /* a message is put when the operation waits for one */
};

enum world_flags {
    W_TIMESTAMPS = 1,
    W_SINGLE_WRITER = 2,
    W_COLD = 4 /* the operation is the first put of its thread */
};

struct world;

struct operation {
    const char *name;
    unsigned frames, frame_size;
    const unsigned *fill; /* sizes of the messages put before, up to 0 */
    unsigned size;        /* of the message the operation puts */
    enum effect effect;
    enum company company;
    unsigned flags;
    enum ach_status status;        /* what the operation returns */
    void (*ready)(struct world *); /* in the child, before the operation; or NULL */
    enum ach_status (*run)(struct world *);
};

struct message {
    uint64_t tag; /* the seed of its bytes */
    unsigned size;
};

/* What a channel holds, as a new handle finds it. */
struct range {
    uint64_t oldest, newest;
};

struct world {
    const struct operation *op;
    struct message said[WORLD_MESSAGES_MAX]; /* by sequence number: put, or being put */
    unsigned count;                          /* messages that are certainly committed */
    struct range had;                        /* what the channel held before the operation */
    uint64_t seen;                           /* how far the tester's handle had read */
    uint64_t recovered;
    uint64_t inode;
    uint64_t source_tag;  /* of the operation's message */
    ach_channel_t before; /* the tester's handle; it has seen all but the newest message */
    ach_channel_t viewers[WORLD_VIEWERS]; /* each has a view of one message, since its put */
    const void *viewed[WORLD_VIEWERS];
    ach_channel_t own; /* the child's handle */
    unsigned char buf[WORLD_SIZE_MAX];
    struct trace trace; /* the operation */
    struct trace holder;
    pid_t sleeper;
    bool settled;
    enum ach_status *returned; /* shared with the child */
};

/* Report a failed check at the current kill point. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

void message_fill(unsigned char *buf, const struct message *m);

/* Create the world and start the operation. False: the failure was reported. */
bool world_make(struct world *w, const struct operation *op);

/* Let the second process act: release or kill the lock holder, or put the awaited message. */
void world_settle(struct world *w);

/* Remove everything. */
void world_end(struct world *w);

/* Check that the state is allowed and that put and get work. complete: what a full run left. */
void world_check(struct world *w, const struct range *complete);

/* Check a put that was not killed: its message is there, and no more were evicted than allowed. */
void world_check_kept(struct world *w, const struct range *complete);

/* What the channel holds. */
bool world_range(struct world *w, struct range *r);

#endif
