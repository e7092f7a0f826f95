/* SPDX-License-Identifier: BSD-3-Clause */
#include "view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "table.h"
#include "user_cells.h"

#define HELP_LINE "q quit  arrows scroll  < > sort column  r reverse  / filter"

/* The lines around the rows: titles and help. */
#define LINES_AROUND 2

static double row_rate(const struct surveyed *c)
{
    return c->rate;
}

static double row_newest(const struct surveyed *c)
{
    return c->open ? (double)c->info.newest : -1;
}

static double row_bytes(const struct surveyed *c)
{
    return c->newest.there ? (double)c->newest.size : -1;
}

static double row_age(const struct surveyed *c)
{
    return c->newest_age;
}

static double row_missed(const struct surveyed *c)
{
    return c->open ? (double)c->lost : -1;
}

static double row_recovered(const struct surveyed *c)
{
    return c->open ? (double)c->info.recovered : -1;
}

/* Numbers are sorted in descending order. */
static const struct column {
    const char *name, *title;
    double (*number)(const struct surveyed *c); /* negative: unknown */
    int digits;
} columns[] = {
    {"name", "NAME", NULL, 0},
    {"rate", "RATE", row_rate, 1},
    {"newest", "NEWEST", row_newest, 0},
    {"bytes", "BYTES", row_bytes, 0},
    {"age", "AGE/S", row_age, 3},
    {"missed", "MISSED", row_missed, 0},
    {"recovered", "RECOVERED", row_recovered, 0},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define ALIGN "lrrrrrrll"

bool view_sort_by(struct view *v, const char *name)
{
    size_t i;

    for (i = 0; i < COLUMNS; i++) {
        if (strcmp(columns[i].name, name) == 0) {
            v->column = i;
            return true;
        }
    }
    return false;
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct surveyed *x = *(struct surveyed *const *)a, *y = *(struct surveyed *const *)b;
    const struct view *v = context;
    const struct column *c = &columns[v->column];
    int order = 0;

    if (c->number)
        order = (c->number(x) < c->number(y)) - (c->number(x) > c->number(y));
    if (order == 0)
        order = strcmp(x->name, y->name);
    if (order == 0)
        order = (int)x->map - (int)y->map;
    return v->backward ? -order : order;
}

static bool passes(const struct view *v, const struct surveyed *c)
{
    return strcasestr(c->name, v->filter) != NULL;
}

/* The filtered and sorted rows, to be freed; NULL: out of memory. */
static struct surveyed **select_rows(const struct view *v, const struct survey *s, size_t *n)
{
    struct surveyed **rows = calloc(s->n + 1, sizeof(*rows));
    size_t i;

    *n = 0;
    if (!rows)
        return NULL;
    for (i = 0; i < s->n; i++)
        if (passes(v, s->items[i]))
            rows[(*n)++] = s->items[i];
    qsort_r(rows, *n, sizeof(*rows), compare_rows, (void *)(uintptr_t)v);
    return rows;
}

static void view_add_row(struct table *t, const struct surveyed *c, const struct users *u)
{
    size_t i;

    table_cell(t, "%s", c->name);
    for (i = 1; i < COLUMNS; i++) {
        double number = columns[i].number(c);

        if (i + 1 == COLUMNS && !c->open)
            table_cell(t, "%s", trouble_word(c->status));
        else if (number >= 0)
            table_cell(t, "%.*f", columns[i].digits, number);
        else
            table_cell(t, "-");
    }
    users_cell(t, u, c->name, &c->info, true);
    users_cell(t, u, c->name, &c->info, false);
}

/* mark: mark the title of the sort column. */
static void fill(struct table *t, const struct view *v, bool mark, struct surveyed **rows, size_t n,
                 const struct users *u)
{
    size_t i;

    for (i = 0; i < COLUMNS; i++)
        table_cell(t, "%s%s", columns[i].title,
                   mark && i == v->column ? v->backward ? "^" : "v" : "");
    table_cell(t, "READ+WRITE");
    table_cell(t, "READ");
    for (i = 0; i < n; i++)
        view_add_row(t, rows[i], u);
}

void view_print(const struct view *v, const struct survey *s, const struct users *u)
{
    struct table t = {.align = ALIGN};
    size_t n;
    struct surveyed **rows = select_rows(v, s, &n);

    fill(&t, v, false, rows, n, u);
    table_print(&t, stdout, SIZE_MAX, "\n");
    table_finish(&t);
    free(rows);
}

static void draw_bottom(const struct view *v, const struct users *u, size_t n, size_t room,
                        struct screen *screen)
{
    char text[256];
    int length;

    if (v->typing || *v->filter)
        length = snprintf(text, sizeof(text), "filter: %s%s", v->filter, v->typing ? "_" : "  ");
    else
        length = snprintf(text, sizeof(text), "%s", HELP_LINE);
    if (n > room)
        length += snprintf(text + length, sizeof(text) - (size_t)length, "  rows %zu-%zu of %zu",
                           v->top + 1, v->top + room, n);
    if (u->hidden)
        length += snprintf(text + length, sizeof(text) - (size_t)length, "  %zu process%s hidden",
                           u->hidden, u->hidden == 1 ? "" : "es");
    screen_line(screen, PAINT_NOTE, text, (size_t)length);
}

static enum paint paint_of(const struct surveyed *c)
{
    if (!c->open)
        return PAINT_TROUBLE;
    return c->rate > 0 ? PAINT_ACTIVE : PAINT_PLAIN;
}

static void draw_rows(const struct view *v, char *lines, struct surveyed **rows, size_t n,
                      size_t room, struct screen *screen)
{
    size_t i;

    for (i = 0; i <= n; i++) {
        size_t length = strcspn(lines, "\n");

        if (i == 0)
            screen_line(screen, PAINT_HEAD, lines, length);
        else if (i > v->top && i <= v->top + room)
            screen_line(screen, paint_of(rows[i - 1]), lines, length);
        lines += length + (lines[length] == '\n');
    }
}

void view_draw(struct view *v, const struct survey *s, const struct users *u, struct screen *screen)
{
    struct table t = {.align = ALIGN};
    size_t n, length, height = screen_rows();
    size_t room = height > LINES_AROUND + 1 ? height - LINES_AROUND : 1;
    struct surveyed **rows = select_rows(v, s, &n);
    char *lines = NULL;
    FILE *out = rows ? open_memstream(&lines, &length) : NULL;

    if (v->top + room > n)
        v->top = n > room ? n - room : 0;
    if (out) {
        fill(&t, v, true, rows, n, u);
        table_print(&t, out, SIZE_MAX, "\n");
        table_finish(&t);
    }
    if (out && fclose(out) == 0) {
        screen_begin(screen);
        draw_rows(v, lines, rows, n, room, screen);
        draw_bottom(v, u, n, room, screen);
        screen_end(screen);
    }
    free(lines);
    free(rows);
}

/* Handle a key while the filter is typed. */
static void type_key(struct view *v, int key)
{
    size_t length = strlen(v->filter);

    if (key == '\n' || key == '\r') {
        v->typing = false;
    } else if (key == KEY_ESCAPE) {
        v->typing = false;
        v->filter[0] = '\0';
    } else if (key == 0x7f || key == '\b') {
        if (length > 0)
            v->filter[length - 1] = '\0';
    } else if (key < 0x7f && isprint(key) && length + 1 < sizeof(v->filter)) {
        v->filter[length] = (char)key;
        v->filter[length + 1] = '\0';
    }
}

static void scroll(struct view *v, size_t up, size_t down)
{
    v->top = v->top > up ? v->top - up : 0;
    v->top += down; /* view_draw limits it */
}

static void sort_key(struct view *v, size_t step)
{
    v->column = (v->column + step) % COLUMNS;
}

bool view_key(struct view *v, int key)
{
    size_t page = screen_rows() > LINES_AROUND ? screen_rows() - LINES_AROUND : 1;

    if (v->typing && key >= 0) {
        type_key(v, key);
        return true;
    }
    switch (key) {
    case 'q':
    case 'Q':
    case KEY_QUIT:
        return false;
    case KEY_UP:
    case 'k':
        scroll(v, 1, 0);
        break;
    case KEY_DOWN:
    case 'j':
        scroll(v, 0, 1);
        break;
    case KEY_PAGE_UP:
        scroll(v, page, 0);
        break;
    case KEY_PAGE_DOWN:
    case ' ':
        scroll(v, 0, page);
        break;
    case KEY_HOME:
    case 'g':
        v->top = 0;
        break;
    case KEY_END:
    case 'G':
        v->top = SIZE_MAX / 2;
        break;
    case '<':
    case KEY_LEFT:
        sort_key(v, COLUMNS - 1);
        break;
    case '>':
    case KEY_RIGHT:
        sort_key(v, 1);
        break;
    case 'r':
        v->backward = !v->backward;
        break;
    case '/':
    case 'f':
        v->typing = true;
        break;
    case KEY_ESCAPE:
        v->filter[0] = '\0';
        break;
    default:
        break;
    }
    return true;
}
