/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * anticipate.h - be awake when a periodic message comes
 *
 * The kernel needs several microseconds to wake a receiver. If a message is expected, the receiver
 * sleeps until shortly before, and then looks at the commit word again and again, in a window of
 * time. Before the window and after it sleeps as ever, with the flag in the commit word raised, so
 * that nothing is missed or delayed that comes early or late: a window changes when a sleep ends,
 * and nothing else.
 *
 * With the flag up, a put commits in a system call. On a channel made for it, the receiver lowers
 * the flag when its window opens, and wakes all who sleep, in one step. They raise it again, and
 * then lowering was in vain: the receiver leaves it for a growing number of windows.
 *
 * When the message comes follows from the timestamps of those that were received, or else from
 * when the receiver saw them. Windows together take at most a share of one processor, the budget.
 */
#ifndef ACHI_ANTICIPATE_H
#define ACHI_ANTICIPATE_H

#include <stdbool.h>

#include "pll.h"

/* A budget of a whole processor. */
#define ACHI_BUDGET_ONE 1000000u

/* What a handle knows. Times are in nanoseconds, of CLOCK_MONOTONIC. */
struct achi_anticipation {
    double budget; /* share of one processor; 0: never anticipate */
    bool forced;   /* also under a real-time policy */
    bool allowed;
    uint64_t checked; /* when `allowed` was found out */
    struct achi_pll pll;
    uint64_t came;          /* when the receiver saw the last message; 0: it was not waiting */
    uint64_t learnt;        /* the sequence of the last message learnt from */
    uint64_t gap;           /* between the last messages; 0: unknown */
    double late, late_more; /* how much later than asked for a sleep ends, and how that varies */
    double credit;          /* that windows may take */
    uint64_t credited;      /* until when */
    uint64_t not_before;    /* no window before that time */
    uint64_t pause;
    double hit_rate;        /* of the last windows */
    uint64_t opens, closes; /* the next window; closes 0: none */
    uint64_t asked;         /* when the sleep before this window was to end; 0: there was none */
    uint64_t windows, hits, spent, window; /* window: the length of the last one */
    uint32_t skip, skipped; /* windows in which the flag stays up: in all, and so far */
};

/* The last message that the caller has received, for achi_anticipate_plan. */
struct achi_received {
    uint64_t seq;
    uint64_t stamp; /* 0: it has none, or one of another clock */
};

/* budget: from 0 to ACHI_BUDGET_ONE. */
void achi_anticipate_init(struct achi_anticipation *a, uint32_t budget, bool forced);

/* The receiver is about to wait: learn from the last message, and choose the next window. */
void achi_anticipate_plan(struct achi_anticipation *a, const struct achi_received *last,
                          uint64_t now);

/* Is the window open? Until a->closes. */
bool achi_anticipate_open(const struct achi_anticipation *a, uint64_t now);

/* The receiver begins to look. */
void achi_anticipate_begin(struct achi_anticipation *a, uint64_t now);

/* Shall it lower the flag in this window? */
bool achi_anticipate_lowers(struct achi_anticipation *a);

/* It has lowered the flag. raised: another one has raised it again. */
void achi_anticipate_lowered(struct achi_anticipation *a, bool raised);

/* It has looked from begin to end. taken: another process had the processor meanwhile. */
void achi_anticipate_end(struct achi_anticipation *a, uint64_t begin, uint64_t end, bool hit,
                         bool taken);

/* The receiver sleeps, until the window opens at the latest. Returns how long: 0: there is none. */
uint64_t achi_anticipate_sleep(struct achi_anticipation *a, uint64_t now);

/* It has slept, and a message has come. */
void achi_anticipate_woken(struct achi_anticipation *a, uint64_t now);

#endif
