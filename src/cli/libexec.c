/* SPDX-License-Identifier: BSD-3-Clause */
#include "libexec.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "streams.h"

#define BUILD_PLACE "/src/cli" /* of ach in a build tree */

/* In a build tree, use the program of the same build, not the installed one. */
static bool libexec_in_build(const struct libexec_program *p, char dir[PATH_MAX])
{
    const size_t tail = strlen(BUILD_PLACE);
    ssize_t n = readlink("/proc/self/exe", dir, PATH_MAX - 1);
    char *slash;

    if (n < 0)
        return false;
    dir[n] = '\0';
    slash = strrchr(dir, '/');
    if (!slash || (size_t)(slash - dir) < tail || memcmp(slash - tail, BUILD_PLACE, tail) != 0 ||
        (size_t)(slash - dir) + strlen(p->build) + 1 > PATH_MAX)
        return false;
    strcpy(slash, p->build);
    return true;
}

bool libexec_find(const struct libexec_program *p, char dir[PATH_MAX])
{
    const char *env = getenv("ACH_LIBEXEC");

    if (env && *env) {
        snprintf(dir, PATH_MAX, "%s", env);
        return true;
    }
    if (!p->built)
        return false;
    if (!libexec_in_build(p, dir))
        snprintf(dir, PATH_MAX, "%s", ACH_LIBEXEC_DIR);
    return true;
}

int libexec_exec(const struct libexec_program *p, const char *dir, char **args)
{
    char program[PATH_MAX + 64];

    snprintf(program, sizeof(program), "%s/%s", dir, p->name);
    streams_flush();
    signal(SIGPIPE, SIG_DFL); /* end if the output is closed: it runs for minutes */
    execv(program, args);
    complain("cannot start %s: %s", program, strerror(errno));
    return EXIT_FAILED;
}
