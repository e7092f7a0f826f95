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
};

void screen_enter(struct screen *s);
void screen_leave(struct screen *s);

/* How many lines there are. */
size_t screen_rows(void);

/* Show lines from the top on; what does not fit is cut off. */
void screen_show(const char *lines);

/*
 * Let some time pass. Ctrl-Z gives the terminal back and stops the process;
 * once it goes on, the screen is there again and the time is over. False: a
 * key or a signal says to quit.
 */
bool screen_pause(struct screen *s, double seconds);

#endif
