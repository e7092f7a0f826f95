/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cdr.h - build a message in CDR, field by field
 *
 * The buffer grows as needed and is kept for the next message. The first failure stays, and calls
 * after it do nothing.
 */
#ifndef FEED_CDR_H
#define FEED_CDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in front of each message: little-endian, XCDR version 1. */
#define FEED_CDR_HEADER 4u

struct feed_cdr {
    uint8_t *bytes;
    size_t used, room; /* with the header */
    bool failed;       /* no memory */
};

void feed_cdr_header(uint8_t to[FEED_CDR_HEADER]);

/* Begin a message. */
void feed_cdr_begin(struct feed_cdr *c);
void feed_cdr_finish(struct feed_cdr *c);

/* Room for bytes behind padding to the alignment; NULL: no memory. */
uint8_t *feed_cdr_take(struct feed_cdr *c, size_t align, size_t n);

void feed_cdr_u8(struct feed_cdr *c, uint8_t value);
void feed_cdr_u16(struct feed_cdr *c, uint16_t value);
void feed_cdr_u32(struct feed_cdr *c, uint32_t value);
void feed_cdr_i32(struct feed_cdr *c, int32_t value);
void feed_cdr_f32(struct feed_cdr *c, float value);
void feed_cdr_f64(struct feed_cdr *c, double value);

/* The same number n times, without a count. */
void feed_cdr_f64s(struct feed_cdr *c, double value, size_t n);

void feed_cdr_text(struct feed_cdr *c, const char *text);

/* A count and bytes. */
void feed_cdr_bytes(struct feed_cdr *c, const void *bytes, uint32_t n);

#endif
