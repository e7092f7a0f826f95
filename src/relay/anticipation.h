/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * anticipation.h - be awake when a periodic message comes
 *
 * The kernel needs several microseconds to wake a daemon. If a message is expected, the daemon
 * sleeps until shortly before and then looks for it again and again, in a window of time that
 * follows from the jitter of the messages. Before the window a message wakes it as ever.
 *
 * The windows together take at most a share of one processor, the budget. Between two looks the
 * daemon yields the processor, because the process that sends may need it; so there are no windows
 * under a real-time policy. If another process keeps the processor, there is none for a while.
 */
#ifndef RELAY_ANTICIPATION_H
#define RELAY_ANTICIPATION_H

#include <sys/queue.h>

#include "../libach/pll.h"

/* Of one flow. */
struct relay_expected {
    struct achi_pll pll;
    bool (*came)(struct relay_expected *e); /* NULL: only the loop can tell */
    bool listed;
    LIST_ENTRY(relay_expected) entry;
};

struct relay_anticipation {
    double budget; /* share of one processor; 0: never anticipate */
    LIST_HEAD(, relay_expected) list;
    unsigned n;
    bool allowed;
    uint64_t checked;    /* when `allowed` was found out */
    uint64_t late;       /* how much later than asked for the kernel wakes us */
    double credit;       /* nanoseconds that windows may take */
    uint64_t credited;   /* until when */
    uint64_t not_before; /* no window before that time */
    uint64_t pause;
    bool awake; /* the last messages came in a window */

    /* The window. */
    bool sleeps; /* it opens in the future */
    uint64_t opens, closes, began, looked;

    /* For the status. */
    uint64_t windows, hits, spent;
};

/* budget: from 0 to 1. */
void relay_anticipation_init(struct relay_anticipation *a, double budget);

/* A message of this flow has come. when 0: just now. */
void relay_anticipation_event(struct relay_anticipation *a, struct relay_expected *e,
                              uint64_t when);

void relay_anticipation_forget(struct relay_anticipation *a, struct relay_expected *e);

/* What is expected next: sets opens and closes. NULL: nothing. */
struct relay_expected *relay_anticipation_next(struct relay_anticipation *a, uint64_t now);

/* The window has opened. */
void relay_anticipation_begin(struct relay_anticipation *a, uint64_t now);

/* Nothing has come yet: is it still open? */
bool relay_anticipation_continue(struct relay_anticipation *a, uint64_t now);

/* hit: a message has come. */
void relay_anticipation_end(struct relay_anticipation *a, uint64_t now, bool hit);

#endif
