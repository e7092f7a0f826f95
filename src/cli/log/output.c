/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cli.h"
#include "filelock.h"

/* A recorder would go on writing a file that nobody finds any more. */
static bool output_recorded(const struct rec_output *o)
{
    int fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool held = fd >= 0 && filelock_held(fd);

    if (fd >= 0)
        close(fd);
    if (held)
        complain("'%s' is being written by a recorder", o->path);
    return held;
}

static bool output_exists(const struct rec_output *o)
{
    struct stat st;

    if (lstat(o->path, &st) != 0)
        return false;
    if (!S_ISREG(st.st_mode))
        complain("'%s' exists and is not a file", o->path);
    else if (!o->force)
        complain("'%s' exists; --force replaces it", o->path);
    return !S_ISREG(st.st_mode) || !o->force || output_recorded(o);
}

static mode_t output_mode(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

static bool output_to_stdout(struct rec_output *o)
{
    if (isatty(STDOUT_FILENO)) {
        complain("a recording is not written to a terminal: name a file with -o");
        return false;
    }
    o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (o->fd < 0)
        complain("cannot write to standard output: %s", strerror(errno));
    o->open = o->fd >= 0;
    return o->open;
}

bool rec_output_begin(struct rec_output *o)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that becomes too large is a write error */
    if (strcmp(o->path, "-") == 0)
        return output_to_stdout(o);
    if (output_exists(o))
        return false;
    if (asprintf(&o->temporary, "%s.part-XXXXXX", o->path) < 0) {
        o->temporary = NULL;
        complain("no memory");
        return false;
    }
    o->fd = mkostemp(o->temporary, O_CLOEXEC);
    if (o->fd < 0) {
        complain("cannot write '%s': %s", o->path, strerror(errno));
        free(o->temporary);
        o->temporary = NULL;
        return false;
    }
    fchmod(o->fd, output_mode());
    o->open = true;
    return true;
}

/* Without --force, a file that appeared meanwhile is kept. */
static bool output_rename(const struct rec_output *o)
{
    if (!o->force && link(o->temporary, o->path) == 0) {
        unlink(o->temporary);
        return true;
    }
    if (!o->force && errno == EEXIST)
        return false;
    return rename(o->temporary, o->path) == 0;
}

static bool output_name(const struct rec_output *o)
{
    const bool recorded = o->force && output_recorded(o);

    if (!recorded && output_rename(o))
        return true;
    if (!recorded)
        complain("cannot write '%s': %s", o->path, strerror(errno));
    unlink(o->temporary);
    return false;
}

bool rec_output_end(struct rec_output *o, bool ok)
{
    if (!o->open)
        return false;
    o->open = false;
    if (close(o->fd) != 0 && ok) {
        complain("cannot write '%s': %s", o->path, strerror(errno));
        ok = false;
    }
    if (o->temporary && ok)
        ok = output_name(o);
    else if (o->temporary)
        unlink(o->temporary);
    free(o->temporary);
    o->temporary = NULL;
    return ok;
}
