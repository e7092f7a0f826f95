/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.h - playing logs back into channels, and telling what is in them
 */
#ifndef TOOLS_REPLAY_H
#define TOOLS_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_options {
    double speed;            /* 1 is as recorded; 0 is without waiting */
    const char *to;          /* the channel for all logs, or NULL */
    const char *const *maps; /* OLD=NEW, n_maps of them */
    size_t n_maps;
    uint64_t loops; /* 0 is for ever */
    double start;   /* seconds after the first message */
    double end;
    bool create; /* make channels that do not exist */
    bool quiet;
};

/* Play the logs, merged by time. Returns the exit status. */
int replay_play(char **paths, size_t n, const struct replay_options *options);

/* Tell what is in the logs. Returns the exit status. */
int replay_info(char **paths, size_t n, bool json);

/* Open a log; - is standard input. Negative: it has complained. */
int replay_open_file(const char *path);

/* The verb of the ach command. */
int ach_verb_replay(int argc, char **argv);

#endif
