/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan.h - bodies in a log whose format is given
 *
 * A plan is a list of words that say which field stands where in the line:
 *
 *     pos.px%+07.3f        a number, written as with printf
 *     cov[2]%7.3f          one of a fixed array
 *     latitude/1e7%.7f     divided by that
 *     volts&1%.3f          0 unless the field `valid` has that bit
 *     have_config~%u       0 if the line ends here
 *     #ranges%04u          how many elements an array has
 *     { ranges@%.3f }      for each of those: an element, or a field of it,
 *     { poses@px%+07.3f }  of one array or of several side by side
 *     ?have_geom{ ... }    if that number is not 0
 *     image%x  mac%s       all bytes of an array, as digits or quoted
 *     bits:count%b         so many bits, each a 0 or 1
 *     sec+usec%t           seconds of two fields, with three digits behind the point
 *
 * Plans are compiled once. A field that a plan leaves out is not in the log.
 */
#ifndef ACHI_LOG_PLAN_H
#define ACHI_LOG_PLAN_H

#include "text.h"

struct achi_plan {
    const char *interf;
    uint8_t type; /* ACH_MSG_DATA or ACH_MSG_ACK */
    const char *message;
    const char *words;
};

extern const struct achi_plan achi_plans[];
extern const size_t achi_plan_count;

/* What a plan was compiled to; NULL: the message has none. */
struct achi_ops;
const struct achi_ops *achi_plan_find(uint16_t interf, uint8_t type, uint8_t subtype);

void achi_plan_write(struct achi_text *t, const struct achi_ops *ops, const void *body);

/* @body: zeroed; what it points to lasts as long as the words. */
ach_status_t achi_plan_read(struct achi_words *w, const struct achi_ops *ops, void *body);

#endif
