/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan.h - bodies in a log with a defined format
 *
 * A plan is a list of words that map the fields of a body to the words of a line:
 *
 *     pos.px%+07.3f        a number, written as with printf
 *     cov[2]%7.3f          one of a fixed array
 *     latitude/1e7%.7f     divided by 1e7
 *     volts&1%.3f          0 unless the field `valid` has bit 1
 *     have_config~%u       0 if the line ends here
 *     #ranges%04u          the number of elements of an array
 *     { ranges@%.3f }      a loop over that number: an element, or a field of it,
 *     { poses@px%+07.3f }  of one array or of several in parallel
 *     ?have_geom{ ... }    only if the field is not 0
 *     image%x  mac%s       all bytes of an array, hexadecimal or quoted
 *     bits:count%b         `count` bits, each written as 0 or 1
 *     sec+usec%t           seconds from two fields, with three decimals
 *
 * Plans are compiled once. A field that a plan omits is not in the log.
 */
#ifndef DRV_LOG_PLAN_H
#define DRV_LOG_PLAN_H

#include "text.h"

struct drv_plan {
    const char *interf;
    uint8_t type; /* ACH_MSG_DATA or ACH_MSG_ACK */
    const char *message;
    const char *words;
};

extern const struct drv_plan drv_plans[];
extern const size_t drv_plan_count;

/* A compiled plan; NULL: the message has no plan. */
struct drv_ops;
const struct drv_ops *drv_plan_find(uint16_t interf, uint8_t type, uint8_t subtype);

void drv_plan_write(struct drv_text *t, const struct drv_ops *ops, const void *body);

/* @body: must be zeroed; the memory it points to belongs to the words. */
ach_status_t drv_plan_read(struct drv_words *w, const struct drv_ops *ops, void *body);

#endif
