/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - what the user wants compared */
#ifndef PEERS_OPTIONS_H
#define PEERS_OPTIONS_H

#include "rows.h"

struct options {
    int quick, long_, list; /* flags, as getopt_long sets them */
    unsigned rounds;        /* 0: as the scenario says */
    const char *scenarios, *only;
    const char *json;
    const char *modules;
    bool custom; /* measure this instead of the scenarios */
    struct scenario own;
};

/* Read the command line. Ends the program if it is wrong, or asks for help. */
void options_parse(struct options *o, int argc, char **argv);

/* End the program unless all names of a list with commas are among name(0), name(1), ... NULL. */
void check_list(const char *list, const char *what, const char *(*name)(unsigned), const char *see);

/* Is the name one of those in a list with commas? */
bool in_list(const char *list, const char *name);

#endif
