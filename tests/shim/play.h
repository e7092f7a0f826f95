/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * play.h - run a plan under a policy and check everything that happens
 *
 * A run ends when no actor can go on. Then a last message is put, which must
 * reach every sleeping reader, and a new reader checks the remaining messages.
 */
#ifndef SHIM_PLAY_H
#define SHIM_PLAY_H

#include "../../src/core/get.h"
#include "plan.h"
#include "scheduler.h"

#define PLAY_BUFFER 1024u

struct player {
    const struct script *script;
    uint32_t next_id; /* of its next message */
    uint64_t steps;   /* taken so far */
    struct achi_cursor cursor;
    uint64_t flushed;       /* messages that OP_FLUSH skipped */
    enum ach_status status; /* of its last operation */
    struct achi_look look;  /* what it got last */
    unsigned char buf[PLAY_BUFFER];
};

/* Trace events: an actor calls, returns, is chosen for a step, has done it, is killed. */
struct play_listener {
    void (*call)(int id, const struct op *op);
    void (*returns)(int id, const struct op *op);
    void (*runs)(const struct actor *a);
    void (*done)(void);
    void (*killed)(const struct actor *a);
};

struct play_options {
    bool hostile;         /* memory is being rewritten: check only bounds and statuses */
    bool impatient;       /* a put may time out waiting for the lock */
    void (*meddle)(void); /* before every access; may be NULL */
    const struct play_listener *listener; /* may be NULL; if not, the run has no epilogue */
};

/* The current run's options. */
extern bool play_strict, play_impatient;

/* False: the run failed, see oracle_reason. */
bool play(const struct plan *plan, struct policy *policy, const struct play_options *options);

struct player *play_player(int id);

/* One operation of a writer or a reader. */
enum ach_status writer_put(struct player *w, uint64_t n);
void writer_do(struct player *w, const struct op *op);
enum ach_status reader_get(struct player *r, const struct op *op);
void reader_do(struct player *r, const struct op *op);

/* Check that a sleeping reader has seen everything; that a new reader finds all messages. */
void reader_check_asleep(const struct player *r);
void reader_check_fresh(void);

#endif
