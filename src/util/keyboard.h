/* SPDX-License-Identifier: BSD-3-Clause */
/* keyboard.h - single keys from the terminal that is standard input */
#ifndef KEYBOARD_H
#define KEYBOARD_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

struct keyboard {
    bool there;           /* standard input is a terminal */
    struct termios saved; /* its settings, to be restored */
};

/* What keyboard_read returns: a character as typed, or one of these. */
enum {
    KEY_TIME = -1,   /* timeout */
    KEY_QUIT = -2,   /* a signal asks to stop, or end of input */
    KEY_REDRAW = -3, /* the window was resized, or the process was stopped and continued */
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

/* Is there a terminal? Changes nothing yet. */
bool keyboard_find(struct keyboard *k);

/* Read keys as they are typed, without echo; and the settings as before. Neither does anything without a terminal. */
void keyboard_take(const struct keyboard *k);
void keyboard_give(const struct keyboard *k);

/* Read one character, or one whole escape sequence. It waits if nothing was typed. */
int keyboard_read(void);

/*
 * Stop the process with the default action of SIGTSTP; returns when it is continued. mask: the signals that are
 * blocked meanwhile, SIGTSTP not among them.
 */
void keyboard_stop(const sigset_t *mask);

#endif
