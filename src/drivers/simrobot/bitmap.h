/* SPDX-License-Identifier: BSD-3-Clause */
/* bitmap.h - a map of cells that are free, occupied or unknown, from a PGM image */
#ifndef ACHI_SIM_BITMAP_H
#define ACHI_SIM_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cells of one side. */
#define ACHI_SIM_SIDE_MAX 8192u
/* Bytes of a file. */
#define ACHI_SIM_FILE_MAX (128u << 20)

/* As the map interface has them. */
enum { ACHI_SIM_FREE = -1, ACHI_SIM_UNKNOWN = 0, ACHI_SIM_OCCUPIED = 1 };

struct achi_sim_bitmap {
    unsigned width, height;
    int8_t *cells; /* row by row, the lowest first: y goes up */
};

/* Which grey means what: a fraction of white. */
struct achi_sim_greys {
    double occupied_below;
    double free_above;
};

/* Read an image. Trusts nothing of it. False: *why says what is wrong. */
bool achi_sim_bitmap_parse(const uint8_t *bytes, size_t size, const struct achi_sim_greys *greys,
                           struct achi_sim_bitmap *bitmap, const char **why);
bool achi_sim_bitmap_load(const char *path, const struct achi_sim_greys *greys,
                          struct achi_sim_bitmap *bitmap, const char **why);
void achi_sim_bitmap_finish(struct achi_sim_bitmap *bitmap);

#endif
