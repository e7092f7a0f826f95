/* SPDX-License-Identifier: BSD-3-Clause */
/* windows.h - follow a channel and report once per time window, for hz and bw */
#ifndef WINDOWS_H
#define WINDOWS_H

#include <ach.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Running mean, spread and extremes. */
struct stats {
    uint64_t n;
    double mean;
    double squares; /* sum of squared differences from the mean */
    double min;
    double max;
};

void stats_add(struct stats *s, double x);
double stats_deviation(const struct stats *s);

struct sample {
    uint64_t ns;     /* when it was put, or received if there is no timestamp */
    uint64_t missed; /* messages missed right before it */
    size_t size;
    unsigned channel; /* increases when another channel takes the name */
};

struct windows {
    const char *name;
    double length;  /* of a window, in seconds */
    uint64_t count; /* stop after this many windows; 0: never */
    bool json;
    bool no_wait; /* fail if the channel does not exist, end when it is removed */
    void (*take)(void *cx, const struct sample *sample);
    /* At the end of each window: reset the counts. chan: NULL if there is none now. */
    void (*report)(void *cx, double seconds, const ach_channel_t *chan);
    void *cx;
};

#define WINDOWS_HELP                                                                               \
    "  -i, --interval SECONDS  time between two lines (1)\n"                                       \
    "  -c, --count N           end after N lines (default: run until Ctrl-C)\n"                    \
    "      --no-wait           fail if there is no channel, and end when it is removed\n"          \
    "      --wait-by HOW       sleep, spin[:US] or anticipate[:PERCENT], see 'man ach'\n"          \
    "  -j, --json              each line is a JSON object\n"                                       \
    "  -h, --help              print this help\n"

/* Parse the options that hz and bw have, and their channel. False after complaining. */
bool windows_parse(struct windows *w, int argc, char **argv);

/* Follow the channel; returns an exit status. */
int windows_run(const struct windows *w);

#endif
