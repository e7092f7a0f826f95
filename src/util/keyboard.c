/* SPDX-License-Identifier: BSD-3-Clause */
#include "keyboard.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Longest gap between the bytes of one escape sequence. */
#define ESCAPE_MS 50

bool keyboard_find(struct keyboard *k)
{
    k->there = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &k->saved) == 0;
    return k->there;
}

void keyboard_take(const struct keyboard *k)
{
    struct termios raw = k->saved;

    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    if (k->there)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void keyboard_give(const struct keyboard *k)
{
    if (k->there)
        tcsetattr(STDIN_FILENO, TCSANOW, &k->saved);
}

/* Translate the bytes of one key. */
static int keyboard_meaning(const char *bytes, size_t n)
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

int keyboard_read(void)
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
    return keyboard_meaning(bytes, (size_t)n);
}

void keyboard_stop(const sigset_t *mask)
{
    struct sigaction action = {.sa_handler = SIG_DFL}, old;
    sigset_t blocked;

    sigaction(SIGTSTP, &action, &old);
    raise(SIGTSTP);
    sigprocmask(SIG_SETMASK, mask, &blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    sigaction(SIGTSTP, &old, NULL);
}
