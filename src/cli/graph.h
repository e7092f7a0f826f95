/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * graph.h - curves made of characters
 *
 * In UTF-8 a character is a braille pattern of 2 by 4 dots; otherwise it is one dot.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Curves beyond this number share colours and letters. */
#define GRAPH_STYLES 6u

struct graph {
    size_t columns, rows; /* in characters */
    bool utf8;
    bool colours;
    uint8_t *dots;  /* of each character; bits as in Unicode's braille patterns */
    uint8_t *curve; /* drawn last in each character */
};

/* A line between two points; each coordinate is from 0 (left, bottom) to 1. */
struct graph_line {
    double x0, y0, x1, y1;
    unsigned curve;
};

/* False: no memory. Finish it in any case. */
bool graph_init(struct graph *g, size_t columns, size_t rows);
void graph_draw(struct graph *g, const struct graph_line *line);

/* Write a row of characters, from the top, without a newline. */
void graph_row(const struct graph *g, size_t row, FILE *to);

/* Write a character in the style of a curve, for a legend. */
void graph_sample(const struct graph *g, unsigned curve, FILE *to);
void graph_finish(struct graph *g);

/* Does the environment say that the terminal uses UTF-8? */
bool graph_utf8(void);

#endif
