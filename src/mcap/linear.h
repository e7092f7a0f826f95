/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * linear.h - messages in the order of the file
 *
 * A bad record is left out (find.h says where reading continues), and the result at the end is MCAP_BAD. If there is only one,
 * and nothing good follows it in a file without an end, the file was cut off there.
 */
#ifndef MCAP_LINEAR_H
#define MCAP_LINEAR_H

#include "damage.h"
#include "find.h"
#include "scan.h"
#include "unpacked.h"

struct mcap_linear {
    struct mcap_scan scan;
    struct mcap_definitions *definitions;
    struct mcap_unpacked chunk; /* being read */
    struct mcap_damage damage;
    struct mcap_find find;
    bool after;              /* a good chunk or message followed the damage */
    uint64_t from;           /* earlier messages are left out */
    char *profile, *library; /* NULL: not read yet */

    /* Is given attachments and metadata, if scan.load_all. NULL, or why it is bad. */
    const char *(*beside)(void *context, const struct mcap_record *record);
    void *context;
};

/* Read the magic and the header. */
enum mcap_result mcap_linear_begin(struct mcap_linear *l);
enum mcap_result mcap_linear_next(struct mcap_linear *l, struct mcap_message *message);

/* From the beginning of a file: mcap_linear_begin follows. */
void mcap_linear_rewind(struct mcap_linear *l, uint64_t from);
void mcap_linear_free(struct mcap_linear *l);

#endif
