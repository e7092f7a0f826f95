/* SPDX-License-Identifier: BSD-3-Clause */
/* script.h - what a fake device says: messages that it publishes, and answers */
#ifndef ACHI_FAKE_SCRIPT_H
#define ACHI_FAKE_SCRIPT_H

#include "signal.h"

/* A message that is published again and again. */
struct achi_stream {
    struct achi_stream *next;
    ach_address_t address;
    const ach_message_def_t *def;
    void *body; /* NULL: none */
    double period;
    struct achi_signal *signals;
    double due; /* on the robot's clock */
};

/* The answer to a request. */
struct achi_reply {
    struct achi_reply *next;
    ach_address_t address;
    const ach_message_def_t *def;
    void *body;   /* NULL: none */
    bool refuse;  /* NACK */
    bool hold;    /* never */
    double delay; /* s */
};

struct achi_script {
    struct achi_stream *streams;
    struct achi_reply *replies;
};

/*
 * Read the sections publish, signal and answer. A device that none of them
 * publishes anything of has a stream of its first data message.
 */
ach_status_t achi_script_read(ach_section_t *options, const ach_address_t *devices, size_t count,
                              double rate, struct achi_script *script);
void achi_script_free(struct achi_script *script);

#endif
