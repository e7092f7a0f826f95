/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest.h - the word that was probably meant
 *
 * Begin with the word that somebody wrote, offer all words that there are, and
 * look at best: the one that differs least, or NULL if all differ much.
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

static inline size_t nearest_least(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;

    return m < c ? m : c;
}

/* How many letters to insert, remove or change to make one word of the other. */
static inline size_t nearest_distance(const char *a, const char *b)
{
    size_t row[NEAREST_LENGTH_MAX + 1], columns = strlen(b), i, j, corner, above;

    if (columns > NEAREST_LENGTH_MAX || strlen(a) > NEAREST_LENGTH_MAX)
        return NEAREST_LENGTH_MAX;
    for (j = 0; j <= columns; j++)
        row[j] = j;
    for (i = 1; a[i - 1] != '\0'; i++) {
        corner = row[0];
        row[0] = i;
        for (j = 1; j <= columns; j++) {
            above = row[j];
            row[j] = nearest_least(above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1]));
            corner = above;
        }
    }
    return row[columns];
}

static inline struct nearest nearest_to(const char *written)
{
    return (struct nearest){.written = written, .distance = strlen(written) > 3 ? 3 : 2};
}

/* The word must live as long as the answer is used. */
static inline void nearest_offer(struct nearest *n, const char *word)
{
    size_t d = nearest_distance(word, n->written);

    if (d < n->distance) {
        n->best = word;
        n->distance = d;
    }
}

#endif
