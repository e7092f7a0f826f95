/* SPDX-License-Identifier: BSD-3-Clause */
#include "screen.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "parse.h"
#include "stop.h"
#include "streams.h"

#define DEFAULT_ROWS 24
#define DEFAULT_COLUMNS 80
#define SCREEN_ENTER "\033[?1049h\033[?25l"
#define SCREEN_LEAVE "\033[?25h\033[?1049l"
#define SCREEN_HOME "\033[H"
#define CLEAR_REST "\033[J"
#define CLEAR_LINE "\033[K"
#define COLOUR_OFF "\033[0m"

static volatile sig_atomic_t suspend;

static void on_suspend(int signal)
{
    (void)signal;
    suspend = 1;
}

/* Empty: the signal only has to interrupt ppoll. */
static void on_resize(int signal)
{
    (void)signal;
}

static bool want_colours(void)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return !(no && *no) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static void take_terminal(struct screen *s)
{
    keyboard_take(&s->keyboard);
    fputs(SCREEN_ENTER, stdout);
    s->ours = true;
}

/* Only once: afterwards we may be in the background, where tcsetattr stops us (SIGTTOU). */
void screen_leave(struct screen *s)
{
    if (!s->ours)
        return;
    fputs(SCREEN_LEAVE, stdout);
    streams_flush();
    keyboard_give(&s->keyboard);
    s->ours = false;
}

/* SIGTSTP is blocked except in ppoll, so no frame is half drawn. If it is ignored, leave it so. */
void screen_enter(struct screen *s)
{
    struct sigaction action = {.sa_handler = on_suspend}, resize = {.sa_handler = on_resize}, old;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigaddset(&set, SIGWINCH);
    sigprocmask(SIG_BLOCK, &set, &s->waiting);
    if (sigaction(SIGTSTP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGTSTP, &action, NULL);
    sigaction(SIGWINCH, &resize, NULL);
    s->colours = want_colours();
    keyboard_find(&s->keyboard);
    take_terminal(s);
}

static struct winsize terminal_size(void)
{
    struct winsize size = {0};

    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    if (size.ws_row == 0)
        size.ws_row = DEFAULT_ROWS;
    if (size.ws_col == 0)
        size.ws_col = DEFAULT_COLUMNS;
    return size;
}

size_t screen_rows(void)
{
    return terminal_size().ws_row;
}

size_t screen_columns(void)
{
    return terminal_size().ws_col;
}

void screen_begin(struct screen *s)
{
    fputs(SCREEN_HOME, stdout);
    s->row = 0;
}

static const char *colour(const struct screen *s, enum paint paint)
{
    static const char *const codes[] = {"", "\033[7m", "\033[32m", "\033[31m", "\033[2m"};

    return s->colours ? codes[paint] : "";
}

/* Clear each line before writing it: clearing behind the last column would erase a character. */
static void write_line(struct screen *s, const char *on, const char *line, size_t length)
{
    if (s->row >= terminal_size().ws_row)
        return;
    printf("%s" CLEAR_LINE "%s%.*s%s", s->row ? "\r\n" : "", on, (int)length, line,
           *on ? COLOUR_OFF : "");
    s->row++;
}

void screen_line(struct screen *s, enum paint paint, const char *line, size_t length)
{
    size_t columns = screen_columns();

    write_line(s, colour(s, paint), line, length < columns ? length : columns);
}

void screen_fitted(struct screen *s, const char *line, size_t length)
{
    write_line(s, "", line, length);
}

void screen_end(struct screen *s)
{
    if (s->row < terminal_size().ws_row)
        fputs("\r\n" CLEAR_REST, stdout);
}

int screen_key(struct screen *s, double seconds)
{
    struct pollfd p = {.fd = s->keyboard.there ? STDIN_FILENO : -1, .events = POLLIN};
    struct timespec t = seconds_to_timespec(seconds);
    int r;

    if (stopped())
        return KEY_QUIT;
    r = ppoll(&p, 1, &t, &s->waiting);
    if (stopped())
        return KEY_QUIT;
    if (suspend) {
        suspend = 0;
        screen_leave(s);
        keyboard_stop(&s->waiting);
        if (stopped())
            return KEY_QUIT;
        take_terminal(s);
        return KEY_REDRAW;
    }
    if (r == 1)
        return keyboard_read();
    return r == 0 ? KEY_TIME : KEY_REDRAW;
}
