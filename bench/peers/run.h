/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.h - one run: fork the ends, send, receive, count
 *
 * Every end is a process (or, for contenders that live in one, a thread) with
 * a core chosen by its place. Messages that do not count go out until every
 * receiver has got one; then the run begins.
 *
 * A message's time goes from before its bytes are written to after they have
 * been checked. Without a rate the next message goes out when the last has
 * come back, and half of that time counts.
 */
#ifndef PEERS_RUN_H
#define PEERS_RUN_H

#include "peers.h"

#define ENDS_MAX (SENDERS_MAX + RECEIVERS_MAX + HOPS_MAX)
#define WARM_UP_S 10
#define FIFO_PRIORITY 50
#define BLOCKED_NS 50000000ull /* a send that takes so long waited for the receiver */

/* Which message it is. */
struct tag {
    uint64_t number;
    unsigned sender;
    bool warm_up; /* does not count */
};

/* What one receiver saw. */
struct tally {
    uint64_t expected[SENDERS_MAX] APART; /* the number after the greatest that came */
    uint64_t reordered, damaged;
    uint32_t heard; /* bit: a warm-up message of that sender */
};

/* Shared by all ends of a run. */
struct board {
    uint32_t warm APART; /* senders whose receivers have all heard them */
    uint32_t done;       /* senders that have sent everything */
    uint32_t failed;     /* ends that could not open, or send */
    uint32_t stop;       /* receivers: nothing more will come */
    struct tally tally[RECEIVERS_MAX];
    uint64_t sent[SENDERS_MAX]; /* so far */
    uint64_t longest_ns;        /* that a send took; of a run with a pause */
    uint64_t times[];           /* see run_time */
};

struct end {
    const struct run *run;
    struct link *in, *out; /* NULL: none */
    unsigned index;        /* among the ends of a link's side */
    int cpu;
    void (*live)(struct end *e);
    unsigned char *buffer; /* the end's own */
};

struct run {
    const struct contender *c;
    const struct setting *s;
    uint64_t count; /* messages of each sender */
    struct board *board;
    size_t board_size;
    struct link *links[HOPS_MAX];
    unsigned link_count;
    struct end ends[ENDS_MAX]; /* receivers first */
    unsigned end_count;
    pid_t pids[ENDS_MAX]; /* in the same order; 0: it has ended */
    unsigned pid_count;
};

/* When a message was sent, in column 0, or came to receiver i, in column 1 + i. 0: it did not. */
static inline uint64_t *run_time(const struct run *r, unsigned column, unsigned sender,
                                 uint64_t number)
{
    return &r->board->times[(column * r->s->senders + sender) * r->count + number];
}

/* Set up and fork. why: WHY_SIZE bytes. False: they say why not. run_finish follows anyway. */
bool run_start(struct run *r, const struct contender *c, const struct setting *s, char *why);

/* Wait until a counter of the board says enough. False: no more, because the time is over, an end
   failed, all have ended, or the program shall end. */
bool run_wait(struct run *r, const uint32_t *counter, uint32_t enough, double seconds);

/* Tell all ends to stop, and end those that do not. */
void run_stop(struct run *r);
void run_finish(struct run *r);

/* In the process of an end: open the links, live, and close them. */
void end_run(struct end *e);
void end_send(struct end *e); /* waits for each message to come back, if there is a way in */
void end_receive(struct end *e);
void end_forward(struct end *e); /* what comes in goes out */

/* Until ns on CLOCK_MONOTONIC. */
void sleep_until(uint64_t ns);

/* why: WHY_SIZE bytes. NULL: they say why not. */
struct link *link_create(const struct contender *c, const struct setting *s, char *why);
void link_destroy(struct link *l);

/* Open a copy for an end, with a buffer for its message. NULL: failed. */
struct link *link_open(const struct link *l, enum side side, unsigned index, void *buffer);
void link_close(struct link *l);

/* Send a message with this tag: 1 on its way, 0 lost, -1 failed. Touch: write all of it. */
int link_put(struct link *l, const struct tag *tag, bool touch);

/* Receive a message, in whatever mode. Touch: check all of it. */
enum { GOT = 1, NOTHING = 0, FAILED = -1, DAMAGED = 2 };
int link_get(struct link *l, struct tag *tag, bool touch, int timeout_ms);

#endif
