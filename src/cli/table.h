/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h - columns as wide as their widest cell */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS 11

struct table {
    const char *align; /* a letter for each column: l left, r right */
    char **cells;
    size_t n;
};

/* Add a cell, row by row. Out of memory ends the program. */
void table_cell(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print at most max_rows rows, each line ending with end. */
void table_print(const struct table *t, FILE *out, size_t max_rows, const char *end);

void table_finish(struct table *t);

#endif
