/* SPDX-License-Identifier: BSD-3-Clause */
/* random_body.h - bodies with random contents */
#ifndef RANDOM_BODY_H
#define RANDOM_BODY_H

#include <ach/interface.h>

struct random_body {
    uint64_t seed;
    bool readable;         /* numbers and strings that JSON can express exactly */
    const ach_field_t *at; /* this array gets `count` elements, others a few or none */
    uint32_t count;
    void **pieces;
    size_t piece_count, piece_room;
};

/* Create a body of this type; random_body_free frees it with all it points to. */
void *random_body_make(struct random_body *r, const ach_type_t *type);
void random_body_free(struct random_body *r);

/* Call f for each message that has a body, of all interfaces; returns the number of messages. */
unsigned random_body_each(void (*f)(const ach_interface_t *interface, const ach_message_def_t *m));

#endif
