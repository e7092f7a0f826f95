/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scip.h - SCIP 2.0, the protocol of Hokuyo's scanners
 *
 * A command is a line. An answer is a block of lines that ends with an empty line: the command
 * repeated, a status, and the requested data. Each line but the first ends with a checksum. Numbers
 * are encoded with 6 bits in each character.
 *
 * All input is validated. No function here allocates or blocks.
 */
#ifndef DRV_SCIP_H
#define DRV_SCIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRV_SCIP_BLOCK_MAX 16384u /* of an answer */
#define DRV_SCIP_STEPS_MAX 2048u  /* of a scan */
#define DRV_SCIP_LINE_DATA 64u    /* characters of a full line of data, without its checksum */

/* A piece of text in memory of the caller. */
struct drv_scip_text {
    const char *at;
    size_t size;
};

char drv_scip_sum(const char *text, size_t size);

/* Decode a number of chars characters. False: a character is outside the code. */
bool drv_scip_decode(const char *text, unsigned chars, uint32_t *value);
void drv_scip_encode(uint32_t value, unsigned chars, char *text);

/* Collects bytes until a block is complete. All zero at first. */
struct drv_scip_reader {
    char bytes[DRV_SCIP_BLOCK_MAX];
    size_t size;
    bool skip;  /* the block is too long: skip to the next empty line */
    bool ended; /* the block was returned: the next byte begins a new one */
};

/*
 * Consume bytes up to the end of a block. Returns the number consumed; block->size is 0 if no
 * block is complete. The block is valid until the next call.
 */
size_t drv_scip_read(struct drv_scip_reader *r, const char *bytes, size_t n,
                     struct drv_scip_text *block);

struct drv_scip_answer {
    struct drv_scip_text command; /* as repeated by the scanner */
    char status[3];               /* with a NUL */
    struct drv_scip_text rest;    /* the lines after the status */
};

/* False: not an answer, or its status is damaged. */
bool drv_scip_answer(struct drv_scip_text block, struct drv_scip_answer *answer);

struct drv_scip_scan {
    uint32_t timestamp; /* ms, 24 bits */
    unsigned count;
    uint32_t ranges[DRV_SCIP_STEPS_MAX]; /* mm */
};

/* Decode the lines after a status: ranges of chars characters each. False: damaged. */
bool drv_scip_scan(struct drv_scip_text rest, unsigned chars, struct drv_scip_scan *scan);

/* The value of a line NAME:VALUE; in the answers to VV, PP and II. False: damaged or missing. */
bool drv_scip_field(struct drv_scip_text rest, const char *name, struct drv_scip_text *value);
bool drv_scip_number(struct drv_scip_text rest, const char *name, unsigned *value);

#endif
