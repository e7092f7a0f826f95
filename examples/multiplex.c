/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * multiplex.c - two channels and standard input, in one poll
 *
 * A channel has a descriptor that is readable while there is something to get;
 * so it stands beside pipes, sockets and terminals in the loop of any program.
 */
#include <ach.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST, SECOND, INPUT, SOURCES };

struct source {
    ach_channel_t chan;
    void *buffer;
    size_t size; /* no message is larger */
};

static int write_all(const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

static int source_open(struct source *s, const char *name, int *fd)
{
    ach_info_t info;

    if (ach_open(&s->chan, name, NULL) != ACH_OK || ach_channel_info(&s->chan, &info) != ACH_OK ||
        ach_channel_fd(&s->chan, fd) != ACH_OK) {
        fprintf(stderr, "multiplex: %s: %s\n", name, ach_errstr());
        return -1;
    }
    s->size = (size_t)info.capacity;
    s->buffer = malloc(s->size);
    return s->buffer ? 0 : -1;
}

/* Get until there is nothing: the descriptor is quiet then. */
static int copy_messages(struct source *s, int lines)
{
    for (;;) {
        size_t size;
        ach_status_t r = ach_get(&s->chan, s->buffer, s->size, &size, NULL, 0);

        if (r == ACH_EAGAIN)
            return 0;
        if (!ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME)) {
            fprintf(stderr, "multiplex: %s\n", ach_result_to_string(r));
            return -1;
        }
        if (write_all(s->buffer, size) != 0 || (lines && write_all("\n", 1) != 0))
            return -1;
    }
}

/* 1: there may be more; 0: it has ended. */
static int copy_input(void)
{
    char buffer[4096];
    ssize_t n = read(STDIN_FILENO, buffer, sizeof(buffer));

    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 1 : -1;
    if (n > 0 && write_all(buffer, (size_t)n) != 0)
        return -1;
    return n > 0;
}

static int loop(struct source *sources, struct pollfd *polled, int lines, int keep)
{
    int i, more = 1;

    while (more > 0 || keep) {
        if (poll(polled, SOURCES, -1) < 0 && errno != EINTR)
            return -1;
        for (i = FIRST; i <= SECOND; i++)
            if (polled[i].revents && copy_messages(&sources[i], lines) != 0)
                return -1;
        if (polled[INPUT].revents)
            more = copy_input();
        if (more < 0)
            return -1;
        if (more == 0)
            polled[INPUT].fd = -1; /* poll passes over it */
    }
    return 0;
}

static void usage(FILE *f)
{
    fputs("usage: multiplex [-k] [-l] CHANNEL CHANNEL\n"
          "\n"
          "Copies what arrives in two channels and on standard input to standard output.\n"
          "Ends with standard input.\n"
          "\n"
          "  -k, --keep   go on when standard input has ended\n"
          "  -l, --lines  end each message with a newline\n"
          "  -h, --help   print this\n",
          f);
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {{"keep", no_argument, NULL, 'k'},
                                          {"lines", no_argument, NULL, 'l'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    struct pollfd polled[SOURCES] = {[FIRST] = {.events = POLLIN},
                                     [SECOND] = {.events = POLLIN},
                                     [INPUT] = {.fd = STDIN_FILENO, .events = POLLIN}};
    struct source sources[2] = {0};
    int c, i, r, lines = 0, keep = 0;

    while ((c = getopt_long(argc, argv, "klh", longs, NULL)) != -1) {
        if (c == 'k')
            keep = 1;
        else if (c == 'l')
            lines = 1;
        else {
            usage(c == 'h' ? stdout : stderr);
            return c == 'h' ? 0 : 2;
        }
    }
    if (argc - optind != 2) {
        usage(stderr);
        return 2;
    }
    for (i = FIRST; i <= SECOND; i++)
        if (source_open(&sources[i], argv[optind + i], &polled[i].fd) != 0)
            return 1;
    r = loop(sources, polled, lines, keep);
    for (i = FIRST; i <= SECOND; i++) {
        free(sources[i].buffer);
        ach_close(&sources[i].chan);
    }
    return r == 0 ? 0 : 1;
}
