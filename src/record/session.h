/* SPDX-License-Identifier: BSD-3-Clause */
/* session.h - one recording */
#ifndef RECORD_SESSION_H
#define RECORD_SESSION_H

#include "output.h"
#include "queue.h"
#include "record.h"

struct record_session {
    const struct record_settings *options;
    struct feed *feed;
    struct record_queue queue;
    struct record_output output;
    pthread_t writer;
    int event;                    /* readable when the other thread wants the session to end */
    bool waiting;                 /* for the trigger */
    bool full;                    /* as many messages as wanted were recorded */
    int64_t begun, deadline;      /* CLOCK_MONOTONIC; INT64_MAX: none */
    unsigned topics, troubles;    /* troubles: complaints about channels that cannot be read */
    uint64_t messages, shortened; /* shortened: entries that the buffer was too small to keep */
    bool failed;                  /* the other thread cannot write; atomic */
};

/* Functions of struct feed_events, whose context is the session. */
extern const struct feed_events record_session_events;

/* The thread that writes; the argument is the session. */
void *record_session_write(void *session);

/* Write what was kept. */
void record_session_trigger(struct record_session *s);

#endif
