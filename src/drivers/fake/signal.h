/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.h - fields that change with time */
#ifndef DRV_FAKE_SIGNAL_H
#define DRV_FAKE_SIGNAL_H

#include <ach/driver.h>

struct drv_signal {
    struct drv_signal *next;
    enum { DRV_CONSTANT, DRV_RAMP, DRV_SINE, DRV_SQUARE, DRV_NOISE } shape;
    double low, high;
    double period;    /* s */
    double spread;    /* time shift between neighbouring elements of an array, s */
    const char *path; /* such as pos.px, ranges or poses[2].px; owned by the config file */
};

/* Read a section of the config file, which records errors. @type: of the body. */
ach_status_t drv_signal_read(ach_section_t *section, const ach_type_t *type,
                             struct drv_signal **signal);

/* Set the field of a body to its value at the time. @random: the generator's state. */
void drv_signal_apply(const struct drv_signal *signal, const ach_type_t *type, void *body,
                      double time, uint64_t *random);

#endif
