/* SPDX-License-Identifier: BSD-3-Clause */
/* screen.h - a terminal's second screen, given back whenever somebody else gets the terminal */
#ifndef SCREEN_H
#define SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct screen {
    bool ours;            /* we have the terminal */
    bool keys;            /* single keys can be read */
    struct termios saved; /* how the terminal was */
    sigset_t waiting;     /* the signals that are blocked while we wait */
    unsigned row;         /* that is drawn next */
    bool colours;
};

void screen_enter(struct screen *s);
void screen_leave(struct screen *s);

/* How many lines there are. */
size_t screen_rows(void);

enum paint {
    PAINT_PLAIN,
    PAINT_HEAD,    /* titles */
    PAINT_ACTIVE,  /* something moves here */
    PAINT_TROUBLE, /* something is wrong here */
    PAINT_NOTE,
};

/*
 * Draw line by line from the top on: begin, lines, end. What does not fit is cut
 * off. Colours are used unless the environment variable NO_COLOR is set.
 */
void screen_begin(struct screen *s);
void screen_line(struct screen *s, enum paint paint, const char *line, size_t length);
void screen_end(struct screen *s);

/* What screen_key found: a letter as typed, or one of these. */
enum {
    KEY_TIME = -1,   /* the time is over */
    KEY_QUIT = -2,   /* a signal says to quit, or there are no more keys */
    KEY_REDRAW = -3, /* the window has another size, or we were stopped */
    KEY_UP = 256,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_ESCAPE,
    KEY_OTHER,
};

/*
 * Wait for a key, for at most some time. Ctrl-Z gives the terminal back and
 * stops the process; once it goes on, the screen is there again.
 */
int screen_key(struct screen *s, double seconds);

#endif
