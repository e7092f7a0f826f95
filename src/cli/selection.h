/* SPDX-License-Identifier: BSD-3-Clause */
/* selection.h - fields of messages that were chosen on the command line */
#ifndef SELECTION_H
#define SELECTION_H

#include "decode.h"
#include "path.h"

/* Begin with all members 0. */
struct selection {
    struct value_paths paths;
    bool reported; /* a message without one of the fields was complained about */
};

/* Add a field, or a range of elements. False after complaining. */
bool selection_add(struct selection *s, const char *path);

/* Are there such fields in the channel's messages? False after complaining; unknown is true. */
bool selection_check(const struct selection *s, const struct decoder *d);

/* A field of a message, by its index; null if the message does not have it. */
struct value selection_get(struct selection *s, const struct decoder *d,
                           const struct value *message, size_t index);

void selection_finish(struct selection *s);

#endif
