/* SPDX-License-Identifier: BSD-3-Clause */
/* number.h - numbers of any kind between structs and lines of a log */
#ifndef ACHI_LOG_NUMBER_H
#define ACHI_LOG_NUMBER_H

#include "text.h"

/* How a number is written, as in printf. */
struct achi_form {
    bool plus, zero;
    int width, precision; /* -1: as many digits as it takes to read it back */
    char conversion;      /* f, d or X */
};

size_t achi_number_size(uint8_t kind);
bool achi_number_whole(uint8_t kind);

/* A blank and the number at an address, divided by a scale. NULL: a zero. */
void achi_number_write(struct achi_text *t, uint8_t kind, const void *at, double scale,
                       const struct achi_form *form);

/* The next word as a number, times a scale. */
ach_status_t achi_number_read(struct achi_words *w, uint8_t kind, void *at, double scale, int base);

#endif
