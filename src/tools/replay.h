/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.h - play logs back into channels, and print what they contain
 */
#ifndef TOOLS_REPLAY_H
#define TOOLS_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_options {
    double speed;            /* 1: as recorded; 0: without waiting */
    const char *to;          /* the channel for all logs, or NULL */
    const char *const *maps; /* OLD=NEW, n_maps of them */
    size_t n_maps;
    uint64_t loops; /* 0: for ever */
    double start;   /* seconds after the first message */
    double end;
    bool create; /* create channels that do not exist */
    bool quiet;
};

/* Play the logs, merged by time. Returns the exit status. */
int replay_play(char **paths, size_t n, const struct replay_options *options);

/* Print what the logs contain. Returns the exit status. */
int replay_info(char **paths, size_t n, bool json);

/* Open a log; - is standard input. Negative after complaining. */
int replay_open_file(const char *path);

/* The verb of the ach command. */
int ach_verb_replay(int argc, char **argv);

#endif
