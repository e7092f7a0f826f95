/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FULL 0xffu /* all dots */

bool graph_init(struct graph *g, size_t columns, size_t rows)
{
    g->columns = columns;
    g->rows = rows;
    g->dots = calloc(columns * rows, 1);
    g->curve = calloc(columns * rows, 1);
    return g->dots && g->curve;
}

void graph_finish(struct graph *g)
{
    free(g->dots);
    free(g->curve);
    g->dots = g->curve = NULL;
}

/* Bits of the dots of a braille pattern, by row and column. */
static const uint8_t braille[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

static void draw_dot(struct graph *g, size_t x, size_t y, unsigned curve)
{
    size_t wide = g->utf8 ? 2 : 1, high = g->utf8 ? 4 : 1;
    size_t at = y / high * g->columns + x / wide;

    g->dots[at] |= g->utf8 ? braille[y % 4][x % 2] : FULL;
    g->curve[at] = (uint8_t)(curve % GRAPH_STYLES);
}

/* Where a coordinate is in dots, from 0 to most - 1. */
static double in_dots(double coordinate, size_t most)
{
    double at = coordinate * (double)(most - 1);

    return at < 0 ? 0 : at > (double)(most - 1) ? (double)(most - 1) : at;
}

void graph_draw(struct graph *g, const struct graph_line *line)
{
    size_t width = g->columns * (g->utf8 ? 2 : 1), height = g->rows * (g->utf8 ? 4 : 1), i, n;
    double x0 = in_dots(line->x0, width), x1 = in_dots(line->x1, width);
    double y0 = in_dots(1 - line->y0, height), y1 = in_dots(1 - line->y1, height);

    n = (size_t)fmax(fabs(x1 - x0), fabs(y1 - y0)) + 1;
    for (i = 0; i <= n; i++) {
        double part = (double)i / (double)n;

        draw_dot(g, (size_t)lround(x0 + (x1 - x0) * part), (size_t)lround(y0 + (y1 - y0) * part),
                 line->curve);
    }
}

static void write_cell(const struct graph *g, uint8_t dots, unsigned curve, FILE *to)
{
    static const char letters[] = "*+o#x@";

    if (!dots)
        putc(' ', to);
    else if (g->utf8) /* U+2800 to U+28FF */
        fprintf(to, "\xe2%c%c", 0xa0 | dots >> 6, 0x80 | (dots & 0x3f));
    else
        putc(letters[curve % GRAPH_STYLES], to);
}

static void set_colour(const struct graph *g, unsigned curve, FILE *to)
{
    static const char *const codes[] = {"36", "33", "35", "32", "31", "34"};

    if (g->colours)
        fprintf(to, "\033[%sm", codes[curve % GRAPH_STYLES]);
}

static void end_colour(const struct graph *g, FILE *to)
{
    if (g->colours)
        fputs("\033[0m", to);
}

void graph_row(const struct graph *g, size_t row, FILE *to)
{
    size_t i, at = row * g->columns, end = at + g->columns;
    int last = -1;

    while (end > at && !g->dots[end - 1])
        end--;
    for (i = at; i < end; i++) {
        if (g->dots[i] && g->curve[i] != last) {
            set_colour(g, g->curve[i], to);
            last = g->curve[i];
        }
        write_cell(g, g->dots[i], g->curve[i], to);
    }
    if (last >= 0)
        end_colour(g, to);
}

void graph_sample(const struct graph *g, unsigned curve, FILE *to)
{
    set_colour(g, curve, to);
    write_cell(g, 0x36, curve, to);
    end_colour(g, to);
}

bool graph_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *locale = getenv(names[i]);

        if (locale && *locale)
            return strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8");
    }
    return false;
}
