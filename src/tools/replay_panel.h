/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_panel.h - keys that steer a replay, and a line that shows where it is
 *
 * Keys are read if standard input is a terminal and the process is in its foreground. Then signals that end or
 * stop the process give the terminal its settings back first. The line is drawn if standard error is a terminal.
 */
#ifndef TOOLS_REPLAY_PANEL_H
#define TOOLS_REPLAY_PANEL_H

#include <stdbool.h>
#include <stdint.h>

#include "keyboard.h"

struct replay_panel {
    struct keyboard keyboard; /* there: keys are read */
    bool shows;               /* the line is drawn */
    bool drawn;
    int64_t drawn_at; /* on CLOCK_MONOTONIC */
};

/* What the line shows. */
struct replay_view {
    double at, length; /* seconds; length 0: not known */
    double speed;      /* 0: without waiting */
    bool paused;
    uint64_t played;
};

/* busy: standard input is not for keys. */
void panel_begin(struct replay_panel *p, bool busy, bool quiet);

/* A key that was typed, KEY_TIME, or KEY_QUIT after a signal. Waits at most this long. */
int panel_key(struct replay_panel *p, int64_t wait_ns);

/* Is there anything to do between messages? */
bool panel_active(const struct replay_panel *p);

/* Draw the line, unless it was drawn a moment ago and `now` is false. */
void panel_draw(struct replay_panel *p, const struct replay_view *v, bool now);

/* Before something else is printed. */
void panel_clear(struct replay_panel *p);

/* Restore the terminal. If a signal ended the replay, the process ends by it. */
void panel_end(struct replay_panel *p);
void panel_die(void);

#endif
