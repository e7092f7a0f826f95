/* SPDX-License-Identifier: BSD-3-Clause */
/* libexec.h - programs that only verbs start, not users */
#ifndef LIBEXEC_H
#define LIBEXEC_H

#include <limits.h>
#include <stdbool.h>

struct libexec_program {
    const char *name;
    const char *build; /* its directory in a build tree, relative to that of ach */
    bool built;        /* is it part of this build? */
};

/*
 * The directory of the program: that of the environment variable ACH_LIBEXEC, that of the same build
 * tree, or the installed one. False: this build has none.
 */
bool libexec_find(const struct libexec_program *p, char dir[PATH_MAX]);

/* Replace this process. Returns EXIT_FAILED after complaining. */
int libexec_exec(const struct libexec_program *p, const char *dir, char **args);

#endif
