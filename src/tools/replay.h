/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.h - play recordings back into channels, and print what logs contain
 */
#ifndef TOOLS_REPLAY_H
#define TOOLS_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_options {
    double speed;            /* 1: as recorded; 0: without waiting */
    const char *to;          /* the channel for everything, or NULL */
    const char *const *maps; /* OLD=NEW, n_maps of them */
    size_t n_maps;
    const char *const *only; /* patterns of topics, n_only of them; none: all */
    size_t n_only;
    uint64_t loops; /* 0: for ever */
    double start;   /* seconds after the first message */
    double end;
    bool create; /* create channels that do not exist */
    bool quiet;
    bool paused;     /* begin with a pause */
    bool statistics; /* print the errors of times */
};

/* Play the recordings, merged by time. Returns the exit status. */
int replay_play(char **paths, size_t n, const struct replay_options *options);

/* Print what logs of channels contain. Returns the exit status. */
int replay_info(char **paths, size_t n, bool json);

/* The verb of the ach command. */
int ach_verb_replay(int argc, char **argv);

#endif
