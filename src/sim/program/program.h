/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - can a program take part in a simulation? Checked before it is executed */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#define SIM_PROGRAM_WHY 256
#define SIM_PROGRAM_ADVICE                                                                         \
    "start it outside the simulation, or write allow [\"static\"] in the controller's section: "   \
    "then it sees real time"

/*
 * Interpreters of scripts are checked too. False: why has the reason. True for a file that cannot
 * be read or executed: exec reports that error.
 */
bool sim_program_good(const char *path, char *why);

/* The file that execvp would execute. False: there is none. */
bool sim_program_find(const char *name, char *path, size_t size);

#endif
