/* SPDX-License-Identifier: BSD-3-Clause */
/* printer.h - print the messages of a channel in one of several formats */
#ifndef PRINTER_H
#define PRINTER_H

#include "decode.h"
#include "reader.h"
#include "selection.h"

enum printer_look { LOOK_AUTO, LOOK_TEXT, LOOK_HEX };
enum printer_format { FORMAT_LINES, FORMAT_JSON, FORMAT_YAML, FORMAT_CSV };

/* A message to print. */
struct printed {
    const char *topic; /* of a recording; NULL: the reader knows which channel it is */
    bool untimed;      /* its time is not known */
    struct timespec time;
    uint64_t sequence;
    uint64_t missed; /* right before it */
    const unsigned char *data;
    size_t size;
};

/* Begin with all members 0, then set the first four. */
struct printer {
    FILE *to; /* NULL: standard output. Lines go to standard output only */
    enum printer_look look;
    enum printer_format format;
    struct selection fields;  /* none: the whole message */
    struct selection columns; /* of CSV */
    bool has_columns;
    char *header;      /* of CSV, as it was printed last */
    uint64_t left_out; /* messages that could not be decoded, in formats that need fields */
};

/* A channel was opened. False after complaining: its messages do not have the wanted fields. */
bool printer_begin(struct printer *p, const struct decoder *d);

/* The message that a reader has got. missed: messages missed right before it. */
struct printed printed_of(const struct reader *r, uint64_t missed);

void printer_message(struct printer *p, const struct decoder *d, const struct printed *m);

void printer_finish(struct printer *p);

#endif
