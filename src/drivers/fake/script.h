/* SPDX-License-Identifier: BSD-3-Clause */
/* script.h - the script of a fake device: messages that it publishes, and its answers */
#ifndef DRV_FAKE_SCRIPT_H
#define DRV_FAKE_SCRIPT_H

#include "signal.h"

/* A message that is published periodically. */
struct drv_stream {
    struct drv_stream *next;
    ach_address_t address;
    const ach_message_def_t *def;
    void *body; /* NULL: none */
    double period;
    struct drv_signal *signals;
    double due; /* time of the next one, on the robot's clock */
};

/* The answer to a request. */
struct drv_reply {
    struct drv_reply *next;
    ach_address_t address;
    const ach_message_def_t *def;
    void *body;   /* NULL: none */
    bool refuse;  /* answer with a NACK */
    bool hold;    /* never answer */
    double delay; /* s */
};

struct drv_script {
    struct drv_stream *streams;
    struct drv_reply *replies;
};

/*
 * Read the sections publish, signal and answer. A device without a section publish gets a stream
 * of its first data message.
 */
ach_status_t drv_script_read(ach_section_t *options, const ach_address_t *devices, size_t count,
                             double rate, struct drv_script *script);
void drv_script_free(struct drv_script *script);

#endif
