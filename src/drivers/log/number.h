/* SPDX-License-Identifier: BSD-3-Clause */
/* number.h - convert numbers between struct fields and words of a log */
#ifndef DRV_LOG_NUMBER_H
#define DRV_LOG_NUMBER_H

#include "text.h"

/* How a number is written, as in printf. */
struct drv_form {
    bool plus, zero;
    int width, precision; /* -1: as many digits as are needed to read it back exactly */
    char conversion;      /* f, d or X */
};

size_t drv_number_size(uint8_t kind);

/* Append a blank and the number at an address, divided by the scale. NULL: write 0. */
void drv_number_write(struct drv_text *t, uint8_t kind, const void *at, double scale,
                      const struct drv_form *form);

/* Read the next word as a number and multiply it by the scale. */
ach_status_t drv_number_read(struct drv_words *w, uint8_t kind, void *at, double scale, int base);

#endif
