/* SPDX-License-Identifier: BSD-3-Clause */
/* trigger.c - tell a recorder to write what it keeps */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "part.h"

/* A recorder locks the second byte of its file with a lock that has its pid. 0: none; -1: see errno. */
static pid_t trigger_pid(const char *path)
{
    struct flock look = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r;

    if (fd < 0)
        return -1;
    r = fcntl(fd, F_GETLK, &look);
    close(fd);
    return r != 0 || look.l_type == F_UNLCK || look.l_pid <= 0 ? 0 : look.l_pid;
}

/* The recorder that writes a part of a recording that is split. 0 or -1: none. */
static pid_t trigger_part_pid(const char *whole)
{
    unsigned n = 0;
    pid_t pid = 0;

    while (pid == 0) {
        char *part = record_part(whole, ++n);

        pid = part ? trigger_pid(part) : -1;
        free(part);
    }
    return pid;
}

int record_trigger(const char *path)
{
    pid_t pid = trigger_pid(path);
    int error = pid < 0 ? errno : 0;

    if (pid <= 0)
        pid = trigger_part_pid(path);
    if (pid <= 0 && error && error != ENOENT) {
        record_complain("cannot open '%s': %s", path, strerror(error));
        return 1;
    }
    if (pid <= 0) {
        record_complain("no recorder of this machine writes '%s' or a part of it", path);
        return 1;
    }
    if (kill(pid, SIGUSR1) == 0)
        return 0;
    record_complain("cannot signal process %d, which writes '%s': %s", (int)pid, path,
                    strerror(errno));
    return 1;
}
