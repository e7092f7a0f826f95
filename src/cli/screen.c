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

/* Longest gap between the bytes of one escape sequence. */
#define ESCAPE_MS 50

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
    struct termios raw;

    if (s->keys) {
        raw = s->saved;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
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
    if (s->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &s->saved);
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
    s->keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &s->saved) == 0;
    take_terminal(s);
}

/* Stop with the default action of SIGTSTP; returns when the process is continued. */
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

/* Translate the bytes of one key. */
static int key_meaning(const char *bytes, size_t n)
{
    static const struct {
        const char *bytes;
        int key;
    } keys[] = {
        {"\033", KEY_ESCAPE},     {"\033[A", KEY_UP},         {"\033OA", KEY_UP},
        {"\033[B", KEY_DOWN},     {"\033OB", KEY_DOWN},       {"\033[C", KEY_RIGHT},
        {"\033OC", KEY_RIGHT},    {"\033[D", KEY_LEFT},       {"\033OD", KEY_LEFT},
        {"\033[5~", KEY_PAGE_UP}, {"\033[6~", KEY_PAGE_DOWN}, {"\033[H", KEY_HOME},
        {"\033OH", KEY_HOME},     {"\033[1~", KEY_HOME},      {"\033[F", KEY_END},
        {"\033OF", KEY_END},      {"\033[4~", KEY_END},
    };
    size_t i;

    if (bytes[0] != '\033')
        return (unsigned char)bytes[0];
    for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strlen(keys[i].bytes) == n && memcmp(keys[i].bytes, bytes, n) == 0)
            return keys[i].key;
    return KEY_OTHER;
}

/* Read one character, or one whole escape sequence. */
static int read_key(void)
{
    char bytes[16];
    ssize_t n = read(STDIN_FILENO, bytes, 1);

    if (n == 0)
        return KEY_QUIT;
    if (n < 0)
        return KEY_OTHER;
    if (bytes[0] == '\033') {
        struct pollfd more = {.fd = STDIN_FILENO, .events = POLLIN};

        while ((size_t)n < sizeof(bytes) && poll(&more, 1, ESCAPE_MS) == 1 &&
               read(STDIN_FILENO, bytes + n, 1) == 1) {
            n++;
            if (n > 2 && (bytes[n - 1] >= '@' && bytes[n - 1] <= '~'))
                break;
        }
    }
    return key_meaning(bytes, (size_t)n);
}

int screen_key(struct screen *s, double seconds)
{
    struct pollfd p = {.fd = s->keys ? STDIN_FILENO : -1, .events = POLLIN};
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
        stop_here(s);
        if (stopped())
            return KEY_QUIT;
        take_terminal(s);
        return KEY_REDRAW;
    }
    if (r == 1)
        return read_key();
    return r == 0 ? KEY_TIME : KEY_REDRAW;
}
