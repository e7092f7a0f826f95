/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.h - what the processes of a run do, and what they share */
#ifndef PEERS_ENDS_H
#define PEERS_ENDS_H

#include "message.h"
#include "run.h"

/* What one receiver saw. */
struct tally {
    uint64_t n APART;  /* messages, and times */
    uint64_t distinct; /* messages that came at least once */
    uint64_t reordered, damaged;
    uint32_t heard; /* bit: a warm-up message of that sender */
    uint32_t failed;
};

/* Shared by all ends of a run. */
struct board {
    uint32_t warm APART; /* senders whose receivers have all heard them */
    uint32_t done;       /* senders that have sent everything */
    uint32_t failed;     /* ends that could not open, or send */
    uint32_t stop;       /* receivers: nothing more will come */
    struct tally tally[RECEIVERS_MAX];
    uint64_t count;             /* messages of each sender */
    uint64_t sent[SENDERS_MAX]; /* so far */
    unsigned senders;
    uint64_t numbers[]; /* for each sender: when; for each receiver: how long */
};

struct end {
    const struct contender *c;
    const struct setting *s;
    struct board *board;
    struct link *in, *out; /* NULL: none */
    unsigned index;        /* among the ends of a link's side */
    int cpu;
    void (*live)(struct end *e);
    unsigned char *buffer; /* the end's own */
};

/* What end_get came to. */
enum { GOT = 1, NOTHING = 0, FAILED = -1, DAMAGED = 2 };

/* Send a message with this tag: 1 on its way, 0 lost, -1 failed. */
int end_put(struct end *e, const struct tag *tag);

/* Receive one, and check it. */
int end_get(struct end *e, struct tag *tag, int timeout_ms);

/* Take a core, timers that are not late on purpose, and memory; open the links. */
bool end_begin(struct end *e);
void end_finish(struct end *e);

/* Until ns on CLOCK_MONOTONIC. */
void sleep_until(uint64_t ns);

size_t board_size(const struct setting *s, uint64_t count);

/* Begin, live, finish. */
void end_run(struct end *e);

void live_send(struct end *e);
void live_receive(struct end *e);
void live_forward(struct end *e); /* what comes in goes out */
void live_ping(struct end *e);    /* sends, and waits for the answer */

#endif
