/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - what the user wants compared */
#ifndef PEERS_OPTIONS_H
#define PEERS_OPTIONS_H

#include "rows.h"

struct options {
    bool quick, long_;
    unsigned rounds; /* 0: as the scenario says */
    const char *scenarios, *only;
    const char *json;
    const char *modules;
    bool list;
    bool custom; /* measure this instead of the scenarios */
    struct scenario own;
};

/* Read the command line. Ends the program if it is wrong, or asks for help. */
void options_parse(struct options *o, int argc, char **argv);

/* Is the name one of those in a list with commas? */
bool in_list(const char *list, const char *name);

#endif
