/* SPDX-License-Identifier: BSD-3-Clause */
/* toolset.h - a verb that consists of tools, such as ach dev and ach log: each is a verb itself */
#ifndef TOOLSET_H
#define TOOLSET_H

#include "cli.h"

struct toolset {
    const char *name;                /* the verb; the names of its tools are "VERB TOOL" */
    const struct verb *const *tools; /* terminated by NULL */
    const char *about;               /* lines behind the usage */
    const char *examples;            /* lines at the end of the help */
};

/* Run the tool that argv[1] names, or print help. */
int toolset_run(const struct toolset *t, int argc, char **argv);

#endif
