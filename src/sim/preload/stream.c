/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream.c - read, write, recv, send, accept
 *
 * A pipe or socket between processes of the simulation is part of the world: a thread reads and
 * writes it at its own time. A reader that would block waits in virtual time for a writer, which
 * says so after its write. A wait for a peer outside the simulation is the kernel's.
 */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "inside.h"

#define ATOMIC_WRITE 4096 /* that much fits into a pipe that is ready */

achi_event_t achi_stream_event(void)
{
    static achi_event_t event;

    if (!event)
        event = achi_event_channel("sim/streams"); /* no channel is called so */
    return event;
}

/* Files, terminals, and pipes from outside are not. An eventfd and its like have no type. */
static mode_t stream_type(int fd)
{
    struct stat s;
    mode_t type;

    if (!achi_sim_free() || fstat(fd, &s) != 0)
        return S_IFREG;
    type = s.st_mode & S_IFMT;
    return type == 0 || type == S_IFSOCK || (type == S_IFIFO && achi_inside_marked(fd)) ? type
                                                                                        : S_IFREG;
}

struct look {
    struct pollfd p;
};

static bool look_at_stream(void *cx)
{
    static const struct timespec at_once;
    struct look *l = cx;

    l->p.revents = 0;
    return achi_raw5(SYS_ppoll, &l->p, 1, &at_once, 0, 0) != 0;
}

static int64_t socket_timeout(int fd, short events)
{
    struct timeval t = {0};
    socklen_t size = sizeof(t);

    if (getsockopt(fd, SOL_SOCKET, events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &t, &size) != 0 ||
        (t.tv_sec == 0 && t.tv_usec == 0))
        return ACHI_SIM_NEVER;
    return achi_after(achi_sim_now(), t.tv_sec * NS_PER_S + t.tv_usec * 1000);
}

static bool ready(int fd, mode_t type, short events, bool dont_wait)
{
    struct look l = {{.fd = fd, .events = events}};
    int64_t until = ACHI_SIM_NEVER;
    int r;

    achi_sim_act();
    if (dont_wait || look_at_stream(&l) || (fcntl(fd, F_GETFL) & O_NONBLOCK))
        return true;
    if (type == S_IFSOCK) {
        until = socket_timeout(fd, events);
        if (until == ACHI_SIM_NEVER && !achi_inside_socket(fd))
            return true; /* its peer lives by the wall's clock: so does the wait */
    }
    r = achi_watch(until, true, until == ACHI_SIM_NEVER ? ACHI_RESTARTS : ACHI_ENDS, look_at_stream,
                   &l);
    if (r == 0)
        errno = EAGAIN;
    return r > 0;
}

bool achi_stream_ready(int fd, short events, bool dont_wait)
{
    mode_t type = stream_type(fd);

    return type == S_IFREG || ready(fd, type, events, dont_wait);
}

void achi_stream_moved(int fd)
{
    if (stream_type(fd) != S_IFREG)
        achi_sim_post(achi_stream_event());
}

/* Both directions wake somebody: a reader makes room for a writer. */
#define STREAM(fd, events, dont_wait, call)                                                        \
    do {                                                                                           \
        mode_t type = stream_type(fd);                                                             \
        ssize_t n;                                                                                 \
                                                                                                   \
        if (type == S_IFREG)                                                                       \
            return call;                                                                           \
        if (!ready(fd, type, events, dont_wait))                                                   \
            return -1;                                                                             \
        n = call;                                                                                  \
        if (n > 0)                                                                                 \
            achi_sim_post(achi_stream_event());                                                    \
        return n;                                                                                  \
    } while (0)

ssize_t achi_stream_read(int fd, void *buf, size_t size)
{
    achi_file_check(fd);
    STREAM(fd, POLLIN, false, REAL(read)(fd, buf, size));
}

EXPORT ssize_t readv(int fd, const struct iovec *v, int n_v)
{
    STREAM(fd, POLLIN, false, REAL(readv)(fd, v, n_v));
}

EXPORT ssize_t recv(int fd, void *buf, size_t size, int flags)
{
    STREAM(fd, POLLIN, flags & MSG_DONTWAIT, REAL(recv)(fd, buf, size, flags));
}

EXPORT ssize_t recvfrom(int fd, void *restrict buf, size_t size, int flags,
                        struct sockaddr *restrict from, socklen_t *restrict length)
{
    STREAM(fd, POLLIN, flags & MSG_DONTWAIT, REAL(recvfrom)(fd, buf, size, flags, from, length));
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    STREAM(fd, POLLIN, flags & MSG_DONTWAIT, REAL(recvmsg)(fd, m, flags));
}

EXPORT ssize_t __recv_chk(int fd, void *buf, size_t size, size_t room, int flags);
EXPORT ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t size, size_t room, int flags,
                              struct sockaddr *restrict from, socklen_t *restrict length);

EXPORT ssize_t __recv_chk(int fd, void *buf, size_t size, size_t room, int flags)
{
    STREAM(fd, POLLIN, flags & MSG_DONTWAIT, REAL(__recv_chk)(fd, buf, size, room, flags));
}

EXPORT ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t size, size_t room, int flags,
                              struct sockaddr *restrict from, socklen_t *restrict length)
{
    STREAM(fd, POLLIN, flags & MSG_DONTWAIT,
           REAL(__recvfrom_chk)(fd, buf, size, room, flags, from, length));
}

/* The timeout ends the call only after a datagram: as the kernel does. */
EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *t)
{
    int64_t until;
    unsigned i;
    ssize_t size;

    if (stream_type(fd) == S_IFREG)
        return REAL(recvmmsg)(fd, m, n, flags, t);
    until = t ? achi_after(achi_sim_now(), achi_ns(t)) : ACHI_SIM_NEVER;
    for (i = 0; i < n && (i == 0 || achi_sim_now() < until); i++) {
        size = recvmsg(fd, &m[i].msg_hdr, flags & ~MSG_WAITFORONE);
        if (size < 0)
            return i ? (int)i : -1;
        m[i].msg_len = (unsigned)size;
        if (flags & MSG_WAITFORONE)
            flags |= MSG_DONTWAIT;
    }
    return (int)i;
}

EXPORT int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length, int flags)
{
    if (!achi_stream_ready(fd, POLLIN, false))
        return -1;
    return REAL(accept4)(fd, address, length, flags);
}

EXPORT int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    return accept4(fd, address, length, 0);
}

static bool is_network(const struct sockaddr *address)
{
    return address->sa_family == AF_INET || address->sa_family == AF_INET6;
}

/* A program may not mean to talk to a real robot, or to one of another simulation. */
static void warn_of_network(const struct sockaddr *address, socklen_t length)
{
    static bool warned;
    char host[NI_MAXHOST], port[NI_MAXSERV], text[2 * NI_MAXHOST];
    const char *name = getenv("ACH_SIM_NAME");
    int n;

    if (__atomic_exchange_n(&warned, true, __ATOMIC_RELAXED) ||
        getnameinfo(address, length, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    n = snprintf(
        text, sizeof(text),
        "ach sim: controller %s: %s connects to %s port %s: what comes from there comes in "
        "real time\n",
        name ? name : "?", program_invocation_short_name, host, port);
    achi_raw3(SYS_write, STDERR_FILENO, text, n < (int)sizeof(text) ? n : (int)sizeof(text) - 1);
}

EXPORT int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int r;

    int saved;

    if (achi_sim_free())
        achi_sim_act();
    r = REAL(connect)(fd, address, length);
    saved = errno;
    if (r == 0)
        achi_stream_moved(fd);
    if ((r == 0 || saved == EINPROGRESS) && achi_sim_free() && is_network(address))
        warn_of_network(address, length);
    errno = saved;
    return r;
}

EXPORT ssize_t send(int fd, const void *buf, size_t size, int flags)
{
    STREAM(fd, POLLOUT, flags & MSG_DONTWAIT, REAL(send)(fd, buf, size, flags));
}

EXPORT ssize_t sendto(int fd, const void *buf, size_t size, int flags, const struct sockaddr *to,
                      socklen_t length)
{
    STREAM(fd, POLLOUT, flags & MSG_DONTWAIT, REAL(sendto)(fd, buf, size, flags, to, length));
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    STREAM(fd, POLLOUT, flags & MSG_DONTWAIT, REAL(sendmsg)(fd, m, flags));
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n_v)
{
    STREAM(fd, POLLOUT, false, REAL(writev)(fd, v, n_v));
}

/* More than a pipe that is ready takes at once is written in parts, each at its own time. */
static ssize_t write_pipe(int fd, const char *buf, size_t size)
{
    size_t done = 0;

    do {
        size_t part = size - done < ATOMIC_WRITE ? size - done : ATOMIC_WRITE;
        ssize_t n;

        if (!ready(fd, S_IFIFO, POLLOUT, false))
            return done ? (ssize_t)done : -1;
        n = REAL(write)(fd, buf + done, part);
        if (n < 0)
            return done ? (ssize_t)done : n;
        done += (size_t)n;
        achi_sim_post(achi_stream_event());
    } while (done < size);
    return (ssize_t)done;
}

ssize_t achi_stream_write(int fd, const void *buf, size_t size)
{
    if (stream_type(fd) == S_IFIFO && !(fcntl(fd, F_GETFL) & O_NONBLOCK))
        return write_pipe(fd, buf, size);
    STREAM(fd, POLLOUT, false, REAL(write)(fd, buf, size));
}
