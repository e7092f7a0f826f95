/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oracle.h - what must be true of a channel
 *
 * The oracle watches the commit word after every step. From that, and from
 * what writers say they are about to put, it knows which messages exist, which
 * of them may be gone, and what each of them looks like. It uses nothing else
 * of what the core computed.
 */
#ifndef SHIM_ORACLE_H
#define SHIM_ORACLE_H

#include "plan.h"
#include "scheduler.h"

/* The id of the message that is there when the run begins. */
#define ORACLE_START_ID 0xffffu

struct message {
    uint32_t id;
    uint64_t size;
    uint64_t reserved; /* the room that was made for it */
    uint64_t pos;
    uint64_t stamp;
};

void oracle_reset(const struct chan_plan *p);

/* The run has failed. The first reason counts. */
void oracle_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool oracle_failed(void);
const char *oracle_reason(void);

/* The current actor is about to put this; how often it was committed since. */
void oracle_put_begins(uint32_t id, uint64_t reserved);
void oracle_put_size(uint64_t size);
unsigned oracle_put_ends(void);

/* The sequence of what an actor committed last, 0 if nothing. */
uint64_t oracle_put_seq(int id);

/* The current actor has got the lock. */
void oracle_locked(void);

/* After a step of an actor; NULL: of main. */
void oracle_observe(const struct actor *a);

/* Somebody began to retire the channel, or is done with it: then nobody may sleep any more. */
void oracle_retire(bool done);
bool oracle_retired(bool done);

uint64_t oracle_newest(void);

/* Every message from this one on must be readable now. */
uint64_t oracle_oldest(void);

/* The first message that could ever be read. */
uint64_t oracle_begin(void);

/* Was there no put larger than frame_size? Then the oldest are let go by count alone. */
bool oracle_all_ordinary(void);

/* NULL: there never was such a message. */
const struct message *oracle_message(uint64_t seq);

/* How many steps writers made. */
uint64_t oracle_writer_steps(void);

#endif
