/* SPDX-License-Identifier: BSD-3-Clause */
/* screen.h - the alternate screen of a terminal, left while the process is stopped */
#ifndef SCREEN_H
#define SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "keyboard.h"

struct screen {
    bool ours; /* we are on the alternate screen */
    struct keyboard keyboard;
    sigset_t waiting; /* signal mask while waiting for a key */
    unsigned row;     /* next row to draw */
    bool colours;
};

void screen_enter(struct screen *s);
void screen_leave(struct screen *s);

/* Number of lines and columns of the terminal; 24 and 80 if it is none. */
size_t screen_rows(void);
size_t screen_columns(void);

enum paint {
    PAINT_PLAIN,
    PAINT_HEAD,    /* titles */
    PAINT_ACTIVE,  /* messages are arriving */
    PAINT_TROUBLE, /* an error */
    PAINT_NOTE,
};

/*
 * Draw line by line from the top: begin, lines, end. Lines that do not fit are cut
 * off. Colours are used unless the environment variable NO_COLOR is set.
 */
void screen_begin(struct screen *s);
void screen_line(struct screen *s, enum paint paint, const char *line, size_t length);
void screen_end(struct screen *s);

/* A line that fits the terminal, with characters of several bytes or escape sequences. */
void screen_fitted(struct screen *s, const char *line, size_t length);

/*
 * Wait for a key, at most this many seconds. Ctrl-Z leaves the alternate screen and
 * stops the process; when the process continues, it enters the screen again.
 */
int screen_key(struct screen *s, double seconds);

#endif
