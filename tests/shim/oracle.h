/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oracle.h - what must be true of a channel
 *
 * The oracle watches the commit word after every step. From that, and from
 * the puts that writers announce to it, it knows which messages exist, which
 * of them may have been evicted, and the contents of each. It uses no other
 * result of the core.
 */
#ifndef SHIM_ORACLE_H
#define SHIM_ORACLE_H

#include "plan.h"
#include "scheduler.h"

/* The id of the message that is in the channel when the run begins. */
#define ORACLE_START_ID 0xffffu

struct message {
    uint32_t id;
    uint64_t size;
    uint64_t reserved; /* the size of its reservation, at least size */
    uint64_t pos;
    uint64_t stamp;
    bool relayed; /* its origin is message_origin(id) */
};

void oracle_reset(const struct chan_plan *p);

/* Mark the run as failed. Only the first reason is kept. */
void oracle_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool oracle_failed(void);
const char *oracle_reason(void);

/* The current actor begins a put, sets its final size, ends it. Returns the number of commits. */
void oracle_put_begins(uint32_t id, uint64_t reserved);
void oracle_put_relayed(void); /* it has an origin */
void oracle_put_size(uint64_t size);
unsigned oracle_put_ends(void);

/* The sequence number of the message that an actor's last put committed; 0: none. */
uint64_t oracle_put_seq(int id);

/* The current actor has got the lock. */
void oracle_locked(void);

/* Check the channel after a step of an actor; NULL: a step of main. */
void oracle_observe(const struct actor *a);

/* An actor begins to retire the channel, or has finished (done): then no reader may sleep. */
void oracle_retire(bool done);
bool oracle_retired(bool done);

uint64_t oracle_newest(void);

/* Every message from this one on must be readable now. */
uint64_t oracle_oldest(void);

/* The first message that could ever be read. */
uint64_t oracle_begin(void);

/* Was no put larger than frame_size? Then the oldest messages are evicted by count alone. */
bool oracle_all_ordinary(void);

/* NULL: no such message was committed. */
const struct message *oracle_message(uint64_t seq);

/* How many steps writers made. */
uint64_t oracle_writer_steps(void);

#endif
