/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - can a program be made part of a simulation? Asked before it is executed */
#ifndef ACHI_SIM_PROGRAM_H
#define ACHI_SIM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#define ACHI_PROGRAM_WHY 256
#define ACHI_PROGRAM_ADVICE                                                                        \
    "start it outside the simulation, or write allow [\"static\"] in the controller's section: "   \
    "then it sees real time"

/*
 * Interpreters of scripts are followed. False: *why says why not. A file that cannot be read or
 * that nobody can execute is none of our business: exec says so.
 */
bool achi_program_good(const char *path, char *why);

/* The file that execvp would execute. False: there is none. */
bool achi_program_find(const char *name, char *path, size_t size);

#endif
