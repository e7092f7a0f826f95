/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scip.h - SCIP 2.0, the language of Hokuyo's scanners
 *
 * A command is a line. An answer is a block of lines that an empty line ends:
 * the command again, a status, and what was asked for. Each line but the first ends in
 * a checksum. Numbers are written with 6 bits in each character.
 *
 * Nothing here trusts the bytes, allocates or blocks.
 */
#ifndef ACHI_SCIP_H
#define ACHI_SCIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACHI_SCIP_BLOCK_MAX 16384u /* of an answer */
#define ACHI_SCIP_STEPS_MAX 2048u  /* of a scan */
#define ACHI_SCIP_LINE_DATA 64u    /* characters of a full line of data, without its checksum */

/* A piece of somebody's text. */
struct achi_scip_text {
    const char *at;
    size_t size;
};

char achi_scip_sum(const char *text, size_t size);

/* A number of so many characters. False: a character is none of those. */
bool achi_scip_decode(const char *text, unsigned chars, uint32_t *value);
void achi_scip_encode(uint32_t value, unsigned chars, char *text);

/* Take the next line, without its line feed. False: there is no more. */
bool achi_scip_line(struct achi_scip_text *rest, struct achi_scip_text *line);

/* Collects bytes until a block is complete. All zero at first. */
struct achi_scip_reader {
    char bytes[ACHI_SCIP_BLOCK_MAX];
    size_t size;
    bool skip;  /* too long: until the next empty line */
    bool ended; /* what is there was given out */
};

/*
 * Take bytes up to the end of a block. Returns how many were taken; block->size is 0 if none
 * is complete. The block lasts until the next call.
 */
size_t achi_scip_read(struct achi_scip_reader *r, const char *bytes, size_t n,
                      struct achi_scip_text *block);

struct achi_scip_answer {
    struct achi_scip_text command; /* that was repeated */
    char status[3];                /* with a NUL */
    struct achi_scip_text rest;    /* the other lines */
};

/* False: not an answer, or its status is damaged. */
bool achi_scip_answer(struct achi_scip_text block, struct achi_scip_answer *answer);

struct achi_scip_scan {
    uint32_t timestamp; /* ms, 24 bits */
    unsigned count;
    uint32_t ranges[ACHI_SCIP_STEPS_MAX]; /* mm */
};

/* From the lines behind a status: ranges of so many characters each. False: damaged. */
bool achi_scip_scan(struct achi_scip_text rest, unsigned chars, struct achi_scip_scan *scan);

/* The value of a line NAME:VALUE; in the answers to VV, PP and II. False: damaged, or not there. */
bool achi_scip_field(struct achi_scip_text rest, const char *name, struct achi_scip_text *value);
bool achi_scip_number(struct achi_scip_text rest, const char *name, unsigned *value);

#endif
