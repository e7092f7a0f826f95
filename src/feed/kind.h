/* SPDX-License-Identifier: BSD-3-Clause */
/* kind.h - what the messages of a channel are to viewers, by the channel's type */
#ifndef FEED_KIND_H
#define FEED_KIND_H

#include "outlet.h"

struct feed_typed {
    struct feed_kind kind;
    const struct ach_type *table; /* the messages are in XDR, to be translated; else NULL */
    char *name, *text;            /* to be freed, or NULL */
};

/* type: NULL: none. Names that viewers do not know have the encoding "". */
void feed_kind_find(struct feed_typed *t, const ach_channel_type_t *type);
void feed_kind_finish(struct feed_typed *t);

#endif
