/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.h - fields that change with time */
#ifndef ACHI_FAKE_SIGNAL_H
#define ACHI_FAKE_SIGNAL_H

#include <ach/driver.h>

struct achi_signal {
    struct achi_signal *next;
    enum { ACHI_CONSTANT, ACHI_RAMP, ACHI_SINE, ACHI_SQUARE, ACHI_NOISE } shape;
    double low, high;
    double period;    /* s */
    double spread;    /* s from one element of an array to the next */
    const char *path; /* as pos.px, ranges or poses[2].px; the config file's */
};

/* From a section of the config file; an error is remembered there. @type: of the body. */
ach_status_t achi_signal_read(ach_section_t *section, const ach_type_t *type,
                              struct achi_signal **signal);

/* Set the field of a body to its value. @random: the generator's state. */
void achi_signal_apply(const struct achi_signal *signal, const ach_type_t *type, void *body,
                       double time, uint64_t *random);

#endif
