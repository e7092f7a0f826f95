/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest.h - find the known word that was probably meant by a misspelt one
 *
 * Call nearest_to with the word as written, nearest_offer with each known word,
 * and read best: the one that differs least, or NULL if all differ much.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>
#include <string.h>

#define NEAREST_LENGTH_MAX 64

struct nearest {
    const char *written;
    const char *best;
    size_t distance;
};

static inline size_t nearest_less(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Number of letters to insert, remove, change, or swap with the next one, to turn one word into
 * the other. Row i % 3 of the table is for the first i letters of a.
 */
static inline size_t nearest_distance(const char *a, const char *b)
{
    size_t d[3][NEAREST_LENGTH_MAX + 1], rows = strlen(a), columns = strlen(b), i, j;

    if (columns > NEAREST_LENGTH_MAX || rows > NEAREST_LENGTH_MAX)
        return NEAREST_LENGTH_MAX;
    for (j = 0; j <= columns; j++)
        d[0][j] = j;
    for (i = 1; i <= rows; i++) {
        const size_t *above = d[(i - 1) % 3], *twice = d[(i + 1) % 3];
        size_t *row = d[i % 3];

        row[0] = i;
        for (j = 1; j <= columns; j++) {
            row[j] = nearest_less(above[j], row[j - 1]) + 1;
            row[j] = nearest_less(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = nearest_less(row[j], twice[j - 2] + 1);
        }
    }
    return d[rows % 3][columns];
}

static inline struct nearest nearest_to(const char *written)
{
    return (struct nearest){.written = written, .distance = strlen(written) > 3 ? 3 : 2};
}

/* The word must live as long as n->best is used. */
static inline void nearest_offer(struct nearest *n, const char *word)
{
    size_t d = nearest_distance(word, n->written);

    if (d < n->distance) {
        n->best = word;
        n->distance = d;
    }
}

#endif
