/* SPDX-License-Identifier: BSD-3-Clause */
/* decoders.h - print the messages of a recording's topics */
#ifndef REC_DECODERS_H
#define REC_DECODERS_H

#include "../printer.h"
#include "recordings.h"

/* Options of all topics. Begin with all members 0. */
struct rec_printing {
    FILE *to; /* NULL: standard output */
    enum printer_look look;
    enum printer_format format;
    struct value_paths fields;
    bool plain; /* no names of topics: there is only one */
};

/* One topic's decoder and printer; the `user` of its topic. */
struct rec_decoder {
    struct decoder decoder;
    struct printer printer;
    bool usable;  /* the messages have the wanted fields */
    bool refused; /* a message that cannot be decoded was complained about */
    struct rec_decoder *next;
};

/* Begin with all members 0. */
struct rec_decoders {
    struct rec_decoder *list;
    bool failed;   /* a topic could not be printed */
    bool left_out; /* messages could not be decoded, in a format that needs fields */
};

/* Print a message of any topic. False: no memory. */
bool rec_print(struct rec_decoders *d, const struct rec_printing *printing,
               const struct logs_message *m);

/* Print no message of a topic. False after complaining: no memory. */
bool rec_leave_out(struct rec_decoders *d, struct logs_topic *t);

/* The type of a topic, for a codec; false: it has none. */
bool rec_topic_type(const struct logs_topic *t, ach_channel_type_t *type);

/* Tells what was left out. */
void rec_decoders_finish(struct rec_decoders *d);

#endif
