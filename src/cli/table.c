/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "printable.h"

static void out_of_memory(void)
{
    complain("out of memory");
    exit(EXIT_FAILED);
}

/* Cells may hold untrusted text: replace terminal control characters. */
static void make_printable(char *text)
{
    size_t n, len = strlen(text);

    for (; len; text += n, len -= n) {
        n = printable_length(text, len);
        if (n == 0) {
            *text = '?';
            n = 1;
        }
    }
}

void table_cell(struct table *t, const char *format, ...)
{
    char **cells = realloc(t->cells, (t->n + 1) * sizeof(*cells));
    va_list ap;

    if (!cells)
        out_of_memory();
    t->cells = cells;
    va_start(ap, format);
    if (vasprintf(&cells[t->n], format, ap) < 0)
        out_of_memory();
    va_end(ap);
    make_printable(cells[t->n]);
    t->n++;
}

static void measure(const struct table *t, int width[TABLE_COLUMNS])
{
    size_t i, columns = strlen(t->align);

    memset(width, 0, TABLE_COLUMNS * sizeof(*width));
    for (i = 0; i < t->n; i++) {
        int len = (int)strlen(t->cells[i]);

        if (len > width[i % columns])
            width[i % columns] = len;
    }
}

void table_print(const struct table *t, FILE *out, size_t max_rows, const char *end)
{
    size_t i, columns = strlen(t->align);
    int width[TABLE_COLUMNS];

    measure(t, width);
    for (i = 0; i < t->n && i / columns < max_rows; i++) {
        size_t column = i % columns;
        const char *text = t->cells[i];
        int last = column + 1 == columns;

        if (t->align[column] == 'r')
            fprintf(out, "%*s", width[column], text);
        else if (last)
            fputs(text, out);
        else
            fprintf(out, "%-*s", width[column], text);
        fputs(last ? end : "  ", out);
    }
}

void table_finish(struct table *t)
{
    size_t i;

    for (i = 0; i < t->n; i++)
        free(t->cells[i]);
    free(t->cells);
    t->cells = NULL;
    t->n = 0;
}
