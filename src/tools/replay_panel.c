/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay_panel.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "common.h"

#define PANEL_EVERY_NS 100000000
#define PANEL_LINE_CLEAR "\r\033[K"

static volatile sig_atomic_t panel_signal, panel_suspend;

static void panel_on_signal(int sig)
{
    panel_signal = sig;
}

static void panel_on_suspend(int sig)
{
    (void)sig;
    panel_suspend = 1;
}

/* Signals that are ignored stay so. */
static void panel_catch(int sig, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}, old;

    if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(sig, &action, NULL);
}

static struct replay_panel *panel_shown;

static void panel_make_way(void)
{
    panel_clear(panel_shown);
}

void panel_begin(struct replay_panel *p, bool busy, bool quiet)
{
    *p = (struct replay_panel){.shows = !quiet && isatty(STDERR_FILENO)};
    panel_shown = p;
    tool_before_complaint = panel_make_way;
    if (busy || !keyboard_find(&p->keyboard))
        return;
    if (tcgetpgrp(STDIN_FILENO) != getpgrp()) { /* tcsetattr would stop us */
        p->keyboard.there = false;
        return;
    }
    panel_catch(SIGINT, panel_on_signal);
    panel_catch(SIGTERM, panel_on_signal);
    panel_catch(SIGHUP, panel_on_signal);
    panel_catch(SIGTSTP, panel_on_suspend);
    keyboard_take(&p->keyboard);
}

bool panel_active(const struct replay_panel *p)
{
    return p->keyboard.there || p->shows;
}

static void panel_stop(struct replay_panel *p)
{
    sigset_t none;

    sigemptyset(&none);
    panel_suspend = 0;
    panel_clear(p);
    keyboard_give(&p->keyboard);
    keyboard_stop(&none);
    keyboard_take(&p->keyboard);
}

int panel_key(struct replay_panel *p, int64_t wait_ns)
{
    struct pollfd input = {.fd = p->keyboard.there ? STDIN_FILENO : -1, .events = POLLIN};
    struct timespec wait = tool_ns_to_time(wait_ns < PANEL_EVERY_NS ? wait_ns : PANEL_EVERY_NS);
    int r = ppoll(&input, 1, &wait, NULL);

    if (panel_signal)
        return KEY_QUIT;
    if (panel_suspend) {
        panel_stop(p);
        return KEY_REDRAW;
    }
    return r == 1 ? keyboard_read() : KEY_TIME;
}

static void panel_print(const struct replay_view *v)
{
    char speed[32] = "no waiting", length[48] = "";

    if (v->speed > 0)
        snprintf(speed, sizeof(speed), "speed %g", v->speed);
    if (v->length > 0)
        snprintf(length, sizeof(length), " of %.1f s, %.0f %%", v->length,
                 fmin(100, 100 * v->at / v->length));
    fprintf(stderr, PANEL_LINE_CLEAR "%s %.3f s%s, %s, %llu messages",
            v->paused ? "paused at" : "at", v->at, length, speed, (unsigned long long)v->played);
    fflush(stderr);
}

void panel_draw(struct replay_panel *p, const struct replay_view *v, bool now)
{
    int64_t time = p->shows ? tool_clock_ns(CLOCK_MONOTONIC) : 0;

    if (!p->shows || (!now && p->drawn && time - p->drawn_at < PANEL_EVERY_NS))
        return;
    panel_print(v);
    p->drawn = true;
    p->drawn_at = time;
}

void panel_clear(struct replay_panel *p)
{
    if (p->drawn)
        fputs(PANEL_LINE_CLEAR, stderr);
    p->drawn = false;
}

void panel_end(struct replay_panel *p)
{
    panel_clear(p);
    tool_before_complaint = NULL;
    keyboard_give(&p->keyboard);
    p->keyboard.there = false;
}

void panel_die(void)
{
    if (!panel_signal)
        return;
    signal(panel_signal, SIG_DFL);
    raise(panel_signal);
}
