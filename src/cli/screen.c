/* SPDX-License-Identifier: BSD-3-Clause */
#include "screen.h"

#include <poll.h>
#include <stdio.h>
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

static volatile sig_atomic_t suspend;

static void on_suspend(int signal)
{
    (void)signal;
    suspend = 1;
}

static void take_terminal(struct screen *s)
{
    struct termios raw;

    if (s->keys) {
        raw = s->saved;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    fputs(SCREEN_ENTER, stdout);
    s->ours = true;
}

/* Once only: then the terminal is somebody else's, and who touches it is stopped. */
void screen_leave(struct screen *s)
{
    if (!s->ours)
        return;
    fputs(SCREEN_LEAVE, stdout);
    streams_flush();
    if (s->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &s->saved);
    s->ours = false;
}

/* SIGTSTP comes only while we wait, so nothing is half drawn. Who ignores it has a reason. */
void screen_enter(struct screen *s)
{
    struct sigaction action = {.sa_handler = on_suspend}, old;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigprocmask(SIG_BLOCK, &set, &s->waiting);
    if (sigaction(SIGTSTP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGTSTP, &action, NULL);
    s->keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &s->saved) == 0;
    take_terminal(s);
}

/* Stop as without a handler; this returns when the process goes on. */
static void stop_here(const struct screen *s)
{
    struct sigaction action = {.sa_handler = SIG_DFL}, old;
    sigset_t blocked;

    sigaction(SIGTSTP, &action, &old);
    raise(SIGTSTP);
    sigprocmask(SIG_SETMASK, &s->waiting, &blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    sigaction(SIGTSTP, &old, NULL);
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

/* Lines are cleared before they are written: behind the last column, that would take a letter. */
void screen_show(const char *lines)
{
    struct winsize size = terminal_size();
    unsigned row;

    fputs(SCREEN_HOME, stdout);
    for (row = 0; row < size.ws_row && *lines; row++) {
        size_t n = strcspn(lines, "\n");

        printf("%s" CLEAR_LINE "%.*s", row ? "\r\n" : "", (int)(n < size.ws_col ? n : size.ws_col),
               lines);
        lines += n + (lines[n] == '\n');
    }
    if (row < size.ws_row)
        fputs("\r\n" CLEAR_REST, stdout);
}

/* True: a key says to quit. */
static bool quit_key(void)
{
    char key;
    ssize_t n = read(STDIN_FILENO, &key, 1);

    return n == 0 || (n == 1 && (key == 'q' || key == 'Q'));
}

bool screen_pause(struct screen *s, double seconds)
{
    struct pollfd p = {.fd = s->keys ? STDIN_FILENO : -1, .events = POLLIN};
    struct timespec t = seconds_to_timespec(seconds);

    if (!stopped() && ppoll(&p, 1, &t, &s->waiting) == 1 && quit_key())
        return false;
    if (suspend && !stopped()) {
        suspend = 0;
        screen_leave(s);
        stop_here(s);
        if (!stopped())
            take_terminal(s);
    }
    return !stopped();
}
