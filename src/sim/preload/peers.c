/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peers.c - pipes and sockets between processes of the simulation
 *
 * A pipe created in the simulation gets a mark that the kernel keeps in its inode, so that every
 * process that inherits the pipe finds it, also after exec. The mark is the write-lifetime hint
 * (F_SET_RW_HINT), which is meant for disks and has no effect on pipes and sockets.
 */
#include "peers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#ifndef F_GET_RW_HINT
#define F_GET_RW_HINT 1035
#define F_SET_RW_HINT 1036
#endif
#define MARK 5ull /* RWH_WRITE_LIFE_EXTREME */
#define GENERATIONS_MAX 100

static void peers_mark(int fd)
{
    uint64_t hint = MARK;
    int saved = errno;

    simc_raw3(SYS_fcntl, fd, F_SET_RW_HINT, &hint);
    errno = saved;
}

bool simp_peers_marked(int fd)
{
    uint64_t hint = 0;
    int saved = errno;
    bool marked = simc_raw3(SYS_fcntl, fd, F_GET_RW_HINT, &hint) == 0 && hint == MARK;

    errno = saved;
    return marked;
}

static void mark_both(const int fds[2], int r)
{
    if (r == 0 && simc_active()) {
        peers_mark(fds[0]);
        peers_mark(fds[1]);
    }
}

EXPORT int pipe2(int fds[2], int flags)
{
    int r = REAL(pipe2)(fds, flags);

    mark_both(fds, r);
    return r;
}

EXPORT int pipe(int fds[2])
{
    return pipe2(fds, 0);
}

EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
    int r = REAL(socketpair)(domain, type, protocol, fds);

    mark_both(fds, r);
    return r;
}

bool simp_peers_read(pid_t pid, const char *what, char *text, size_t size)
{
    char path[64];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
    fd = (int)simc_raw5(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0, 0);
    n = fd < 0 ? 0 : simc_raw3(SYS_read, fd, text, size - 1);
    if (fd >= 0)
        simc_raw3(SYS_close, fd, 0, 0);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

uint64_t simp_peers_signals(const char *status, const char *name)
{
    const char *line = strstr(status, name);

    return line ? strtoull(line + strlen(name), NULL, 16) : 0;
}

struct simp_peers_kin simp_peers_kin(pid_t pid)
{
    struct simp_peers_kin kin = {0};
    char text[512];
    const char *end;

    simp_peers_read(pid, "stat", text, sizeof(text));
    end = strrchr(text, ')'); /* the name before it may contain any character */
    if (end && sscanf(end + 1, " %*c %d %d", &kin.parent, &kin.group) != 2)
        kin = (struct simp_peers_kin){0};
    return kin;
}

/* All processes of a simulation descend from its coordinator. */
bool simp_peers_process(pid_t pid)
{
    const char *text = secure_getenv("ACH_SIM_PID");
    pid_t coordinator = text ? (pid_t)strtol(text, NULL, 10) : 0;
    int i;

    if (pid == coordinator)
        return false;
    for (i = 0; i < GENERATIONS_MAX && pid > 1 && pid != coordinator; i++)
        pid = simp_peers_kin(pid).parent;
    return pid > 1 && pid == coordinator;
}

bool simp_peers_socket(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    int listens = 0, saved = errno;
    socklen_t listens_size = sizeof(listens);
    bool inside = simp_peers_marked(fd);

    if (!inside && getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size) == 0 &&
        listens)
        inside = true;
    if (!inside && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
        inside = simp_peers_process(peer.pid);
    errno = saved;
    return inside;
}
