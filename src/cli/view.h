/* SPDX-License-Identifier: BSD-3-Clause */
/* view.h - the rows of a survey in ach watch: filter, sort order, scroll position */
#ifndef VIEW_H
#define VIEW_H

#include "screen.h"
#include "survey.h"
#include "users.h"

#define VIEW_FILTER_MAX 64

struct view {
    size_t column; /* sort column */
    bool backward;
    size_t top; /* number of rows scrolled off the top */
    char filter[VIEW_FILTER_MAX];
    bool typing; /* the filter is being typed */
};

/* Sort by the column of that name. False: no such column. */
bool view_sort_by(struct view *v, const char *name);

/* The names of all columns, for help and error messages. */
#define VIEW_COLUMNS "name, rate, newest, bytes, age, missed or recovered"

/* All rows as plain lines, in the order of the view. */
void view_print(const struct view *v, const struct survey *s, const struct users *u);

void view_draw(struct view *v, const struct survey *s, const struct users *u,
               struct screen *screen);

/* Handle a key. False: quit. */
bool view_key(struct view *v, int key);

#endif
