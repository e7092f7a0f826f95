/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arbiter.c - one robot, several commanders
 *
 * Each commander has a channel of its own: a person with a joystick, a camera
 * that servos, a planner. The arbiter waits for all of them, and passes on the
 * commands of the most important one that has spoken lately. A commander that
 * falls silent loses its turn after a while; nobody has to say that it ended.
 */
#include <ach.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COMMANDERS_MAX 32
#define FRESH_MS 100
#define NOBODY (-1)

struct commander {
    const char *name;
    ach_channel_t chan;
    unsigned char *command; /* the newest */
    size_t room, size;
    int64_t until; /* it is fresh; 0: there is none */
    int passed;    /* this command went to the robot */
};

struct arbiter {
    struct commander commanders[COMMANDERS_MAX]; /* the most important first */
    struct pollfd polled[COMMANDERS_MAX];
    int n, master, verbose;
    int64_t fresh_ms;
    uint64_t left; /* commands to pass on before the end */
    ach_channel_t robot;
};

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int commander_open(struct commander *c, const char *name, int *fd)
{
    ach_info_t info;

    c->name = name;
    if (ach_open(&c->chan, name, NULL) != ACH_OK || ach_channel_info(&c->chan, &info) != ACH_OK ||
        ach_channel_fd(&c->chan, fd) != ACH_OK) {
        fprintf(stderr, "arbiter: %s: %s\n", name, ach_errstr());
        return -1;
    }
    ach_flush(&c->chan); /* commands from before are of no interest */
    c->room = (size_t)info.capacity;
    c->command = malloc(c->room);
    return c->command ? 0 : -1;
}

/* Only the newest command counts. */
static int listen_to(struct arbiter *a, struct commander *c)
{
    ach_status_t r = ach_get(&c->chan, c->command, c->room, &c->size, NULL, ACH_O_LAST);

    if (r == ACH_EAGAIN)
        return 0;
    if (!ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME)) {
        fprintf(stderr, "arbiter: %s: %s\n", c->name, ach_result_to_string(r));
        return -1;
    }
    c->until = now_ms() + a->fresh_ms;
    c->passed = 0;
    return 0;
}

static int choose(const struct arbiter *a, int64_t now)
{
    int i;

    for (i = 0; i < a->n; i++)
        if (a->commanders[i].until > now)
            return i;
    return NOBODY;
}

/* The master may change because another one spoke, or because it fell silent itself. */
static int pass_on(struct arbiter *a)
{
    int master = choose(a, now_ms());
    struct commander *c = &a->commanders[master < 0 ? 0 : master];
    ach_status_t r;

    if (master != a->master && a->verbose) {
        printf("%s\n", master == NOBODY ? "nobody" : c->name);
        fflush(stdout);
    }
    a->master = master;
    if (master == NOBODY || c->passed)
        return 0;
    r = ach_put(&a->robot, c->command, c->size);
    if (r != ACH_OK) {
        fprintf(stderr, "arbiter: cannot put: %s\n", ach_result_to_string(r));
        return -1;
    }
    c->passed = 1;
    a->left -= a->left > 0;
    return a->left == 0 ? 1 : 0;
}

/* Until somebody speaks, or the master's last command is no longer fresh. */
static int wait_for_commands(struct arbiter *a)
{
    int64_t ms = -1;
    int i;

    if (a->master != NOBODY) {
        ms = a->commanders[a->master].until - now_ms();
        ms = ms < 0 ? 0 : ms;
    }
    if (poll(a->polled, (nfds_t)a->n, (int)ms) < 0)
        return errno == EINTR ? 0 : -1;
    for (i = 0; i < a->n; i++)
        if (a->polled[i].revents && listen_to(a, &a->commanders[i]) != 0)
            return -1;
    return 0;
}

static void usage(FILE *f)
{
    fputs("usage: arbiter [-t MS] [-n COUNT] [-v] ROBOT COMMANDER...\n"
          "\n"
          "Passes commands on to the channel ROBOT: those of the first COMMANDER, a channel\n"
          "each, that has put one lately.\n"
          "\n"
          "  -t, --fresh MS     a command counts for so long, by default 100\n"
          "  -n, --count COUNT  end when so many were passed on\n"
          "  -v, --verbose      print who has become the master\n"
          "  -h, --help         print this\n",
          f);
}

static long number(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n < 1 || n > 1000000000) {
        fprintf(stderr, "arbiter: '%s' is not a number from 1 to 1000000000\n", text);
        exit(2);
    }
    return n;
}

static void parse(struct arbiter *a, int argc, char **argv)
{
    static const struct option longs[] = {{"fresh", required_argument, NULL, 't'},
                                          {"count", required_argument, NULL, 'n'},
                                          {"verbose", no_argument, NULL, 'v'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    int c;

    while ((c = getopt_long(argc, argv, "t:n:vh", longs, NULL)) != -1) {
        if (c == 't')
            a->fresh_ms = number(optarg);
        else if (c == 'n')
            a->left = (uint64_t)number(optarg);
        else if (c == 'v')
            a->verbose = 1;
        else {
            usage(c == 'h' ? stdout : stderr);
            exit(c == 'h' ? 0 : 2);
        }
    }
    a->n = argc - optind - 1;
    if (a->n < 1 || a->n > COMMANDERS_MAX) {
        usage(stderr);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static struct arbiter a = {.fresh_ms = FRESH_MS, .left = UINT64_MAX, .master = NOBODY};
    int i, r = 0;

    parse(&a, argc, argv);
    if (ach_open(&a.robot, argv[optind], NULL) != ACH_OK) {
        fprintf(stderr, "arbiter: %s\n", ach_errstr());
        return 1;
    }
    for (i = 0; i < a.n; i++) {
        a.polled[i].events = POLLIN;
        if (commander_open(&a.commanders[i], argv[optind + 1 + i], &a.polled[i].fd) != 0)
            return 1;
    }
    while (r == 0) {
        r = wait_for_commands(&a);
        if (r == 0)
            r = pass_on(&a);
    }
    for (i = 0; i < a.n; i++) {
        free(a.commanders[i].command);
        ach_close(&a.commanders[i].chan);
    }
    ach_close(&a.robot);
    return r > 0 ? 0 : 1;
}
