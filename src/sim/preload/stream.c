/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream.c - read, write, recv, send, accept
 *
 * A pipe or socket between processes of the simulation is part of the world: a thread reads and
 * writes it at its own virtual time. A reader that would block waits in virtual time until a writer
 * posts an event after its write. A wait for a peer outside the simulation is left to the kernel.
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

#include "overrun.h"
#include "peers.h"

#define ATOMIC_WRITE 4096 /* bytes that always fit into a pipe that is ready (PIPE_BUF) */

/* S_IFREG: not a stream of the simulation, as files, terminals and outside pipes. eventfds: 0. */
static mode_t stream_type(int fd)
{
    struct stat s;
    mode_t type;

    if (!simc_free() || fstat(fd, &s) != 0)
        return S_IFREG;
    type = s.st_mode & S_IFMT;
    return type == 0 || type == S_IFSOCK || (type == S_IFIFO && simp_peers_marked(fd)) ? type
                                                                                       : S_IFREG;
}

struct stream_look {
    struct pollfd p;
};

static bool look_at_stream(void *cx)
{
    static const struct timespec at_once;
    struct stream_look *l = cx;

    l->p.revents = 0;
    return simc_raw5(SYS_ppoll, &l->p, 1, &at_once, 0, 0) != 0;
}

static int64_t socket_timeout(int fd, short events)
{
    struct timeval t = {0};
    socklen_t size = sizeof(t);

    if (getsockopt(fd, SOL_SOCKET, events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &t, &size) != 0 ||
        (t.tv_sec == 0 && t.tv_usec == 0))
        return SIM_NEVER;
    return simp_after(simc_now(), t.tv_sec * NS_PER_S + t.tv_usec * 1000);
}

static bool ready(int fd, mode_t type, short events, bool dont_wait)
{
    struct stream_look l = {{.fd = fd, .events = events}};
    int64_t until = SIM_NEVER;
    int r;

    simc_act();
    if (dont_wait || look_at_stream(&l) || (simc_raw3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK))
        return true;
    if (type == S_IFSOCK) {
        until = socket_timeout(fd, events);
        if (until == SIM_NEVER && !simp_peers_socket(fd))
            return true; /* the peer is outside, in real time: the call may block */
    }
    r = simp_watch(until, true, until == SIM_NEVER ? SIMP_RESTARTS : SIMP_ENDS, look_at_stream, &l);
    if (r == 0)
        errno = EAGAIN;
    return r > 0;
}

/*
 * Call before a read (POLLIN) or write (POLLOUT) of the descriptor: waits for the caller's turn,
 * and until the call would not block. False with errno: the socket's timeout has expired, or a
 * signal handler ended the wait.
 */
static bool stream_ready(int fd, short events, bool dont_wait)
{
    mode_t type = stream_type(fd);

    return type == S_IFREG || ready(fd, type, events, dont_wait);
}

/* Call after a system call that may wake waiters on the descriptor. */
static void stream_moved(int fd)
{
    if (stream_type(fd) != S_IFREG)
        simc_post(simp_stream_event());
}

/* Reads post the event, too: they make room for a blocked writer. */
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
            simc_post(simp_stream_event());                                                        \
        return n;                                                                                  \
    } while (0)

static ssize_t read_stream(int fd, void *buf, size_t size)
{
    STREAM(fd, POLLIN, false, REAL(read)(fd, buf, size));
}

ssize_t simp_stream_read(int fd, void *buf, size_t size)
{
    ssize_t n;

    simp_file_check(fd);
    n = read_stream(fd, buf, size);
    if (n > 0)
        simp_overrun_accept_read(fd, buf, (size_t)n);
    return n;
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

/* As in the kernel, the timeout is checked only after each datagram. */
EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *t)
{
    int64_t until;
    unsigned i;
    ssize_t size;

    if (stream_type(fd) == S_IFREG)
        return REAL(recvmmsg)(fd, m, n, flags, t);
    if (t && !simp_timespec_valid(t)) {
        errno = EINVAL;
        return -1;
    }
    until = t ? simp_after(simc_now(), simp_ns(t)) : SIM_NEVER;
    for (i = 0; i < n && (i == 0 || simc_now() < until); i++) {
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
    if (!stream_ready(fd, POLLIN, false))
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

/* The program may connect by mistake to a real robot, or to one of another simulation. */
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
        "ach sim: controller %s: %s connects to %s port %s: data from there arrives in real time\n",
        name ? name : "?", program_invocation_short_name, host, port);
    simc_raw3(SYS_write, STDERR_FILENO, text, n < (int)sizeof(text) ? n : (int)sizeof(text) - 1);
}

EXPORT int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int r;

    int saved;

    if (simc_free())
        simc_act();
    r = REAL(connect)(fd, address, length);
    saved = errno;
    if (r == 0)
        stream_moved(fd);
    if ((r == 0 || saved == EINPROGRESS) && simc_free() && is_network(address))
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

/* A write larger than ATOMIC_WRITE is split into parts, each written at its own virtual time. */
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
        simc_post(simp_stream_event());
    } while (done < size);
    return (ssize_t)done;
}

ssize_t simp_stream_write(int fd, const void *buf, size_t size)
{
    if (stream_type(fd) == S_IFIFO && !(simc_raw3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK))
        return write_pipe(fd, buf, size);
    STREAM(fd, POLLOUT, false, REAL(write)(fd, buf, size));
}
