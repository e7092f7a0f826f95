/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * emulator.c - a URG scanner at a pseudo terminal
 *
 *     urg-emulator LINK [COMMAND ...]
 *
 * LINK becomes a symbolic link to the terminal. Commands come as arguments, then
 * from standard input, a line each; each line is answered with "ok". The end of the
 * input ends the emulator.
 *
 *     plug, unplug        open the terminal, or close it and remove the link
 *     scene NAME          ramp: each step has its own range; wall: 2 m; box: a room of 4 x 3 m
 *     period MS           between scans (100)
 *     noise P             the probability that a byte is replaced by another
 *     drop P              the probability that a byte is lost
 *     delay MS            before each answer
 *     mute 0|1            send nothing
 *     model NAME          urg; bad: with invalid parameters; none: without the command PP
 *     laser ok|broken     whether the laser can be switched on
 *     speed BAUD          the speed that the line must have; 0: any
 *     scip 1|2            the version of SCIP at the start
 */
#include "emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

struct emulator emulator = {.master = -1,
                            .slave = -1,
                            .period = 100,
                            .scip = 2,
                            .scene = "ramp",
                            .model = "urg",
                            .laser_ok = true};

/* No leak detection: nothing is allocated here, and it may never end in a child of a test. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static bool make_raw(int fd)
{
    struct termios t;

    if (tcgetattr(fd, &t) != 0)
        return false;
    cfmakeraw(&t);
    return tcsetattr(fd, TCSANOW, &t) == 0;
}

/* Keep the slave open too, so that the terminal persists while no driver has it open. */
static bool plug(struct emulator *e)
{
    char name[128];

    if (e->master >= 0)
        return true;
    e->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (e->master < 0 || grantpt(e->master) != 0 || unlockpt(e->master) != 0 ||
        ptsname_r(e->master, name, sizeof(name)) != 0)
        return false;
    e->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    unlink(e->link);
    return e->slave >= 0 && make_raw(e->slave) && symlink(name, e->link) == 0;
}

static void unplug(struct emulator *e)
{
    if (e->master < 0)
        return;
    unlink(e->link);
    close(e->slave);
    close(e->master);
    e->master = e->slave = -1;
    e->measuring = e->laser = false;
    e->line_size = 0;
}

static bool set_text(struct emulator *e, const char *name, const char *value)
{
    if (strcmp(name, "scene") == 0)
        snprintf(e->scene, sizeof(e->scene), "%s", value);
    else if (strcmp(name, "model") == 0)
        snprintf(e->model, sizeof(e->model), "%s", value);
    else if (strcmp(name, "laser") == 0)
        e->laser_ok = strcmp(value, "ok") == 0;
    else
        return false;
    return true;
}

static bool set_number(struct emulator *e, const char *name, double value)
{
    const struct {
        const char *name;
        double *value;
    } all[] = {{"period", &e->period}, {"noise", &e->noise}, {"drop", &e->drop},
               {"delay", &e->delay},   {"mute", &e->mute},   {"speed", &e->speed},
               {"scip", &e->scip}};
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(all[i].name, name) == 0) {
            *all[i].value = value;
            return true;
        }
    return false;
}

static bool obey(struct emulator *e, char *command)
{
    char *value = command + strcspn(command, " ");

    if (*value)
        *value++ = '\0';
    if (strcmp(command, "plug") == 0)
        return plug(e);
    if (strcmp(command, "unplug") == 0) {
        unplug(e);
        return true;
    }
    return set_text(e, command, value) || set_number(e, command, atof(value));
}

/* Returns false at the end of the input, or if a line is too long. */
static bool read_commands(struct emulator *e)
{
    static char text[4096];
    static size_t size;
    ssize_t n = read(STDIN_FILENO, text + size, sizeof(text) - size);
    char *end;

    if (n <= 0)
        return false;
    size += (size_t)n;
    while ((end = memchr(text, '\n', size))) {
        *end = '\0';
        printf(obey(e, text) ? "ok\n" : "what?\n");
        fflush(stdout);
        size -= (size_t)(end + 1 - text);
        memmove(text, end + 1, size);
    }
    return size < sizeof(text);
}

static void read_line(struct emulator *e)
{
    char c;

    while (e->master >= 0 && read(e->master, &c, 1) == 1) {
        if (!speed_fits(e))
            continue;
        if (c == '\n' || c == '\r') {
            e->line[e->line_size] = '\0';
            if (e->line_size > 0)
                scip_command(e, e->line);
            e->line_size = 0;
        } else if (e->line_size < sizeof(e->line) - 1) {
            e->line[e->line_size++] = c;
        }
    }
}

static int until_scan(const struct emulator *e, double now)
{
    double left = e->next_scan - now;

    if (!e->measuring || e->master < 0)
        return 1000;
    return left > 0 ? (int)(left * 1000) + 1 : 0;
}

static bool serve(struct emulator *e)
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = e->master, .events = POLLIN}};

    poll(fds, 2, until_scan(e, now()));
    if (fds[0].revents && !read_commands(e))
        return false;
    if (e->master >= 0)
        read_line(e);
    if (e->measuring && e->master >= 0 && now() >= e->next_scan) {
        e->next_scan = now() + e->period / 1000;
        scip_send_scan(e);
    }
    return true;
}

int main(int argc, char **argv)
{
    int i;

    if (argc < 2) {
        fprintf(stderr, "usage: urg-emulator LINK [COMMAND ...]\n");
        return 2;
    }
    emulator.link = argv[1];
    for (i = 2; i < argc; i++)
        if (!obey(&emulator, argv[i])) {
            fprintf(stderr, "urg-emulator: %s?\n", argv[i]);
            return 2;
        }
    if (!plug(&emulator)) {
        perror("urg-emulator");
        return 1;
    }
    puts("ready");
    fflush(stdout);
    while (serve(&emulator))
        ;
    unplug(&emulator);
    return 0;
}
