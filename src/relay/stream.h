/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream.h - a connection that carries bytes in order
 *
 * A link uses only the operations, so that another transport needs no other link.
 */
#ifndef RELAY_STREAM_H
#define RELAY_STREAM_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct relay_stream;

/*
 * Never blocking. Reading and writing return a number of bytes; 0: not now; -1: the connection
 * ended, errno; errno 0: the peer has closed it; EPROTO: ach_errstr says why. If a write takes only
 * a part, the next one must begin with the rest.
 */
struct relay_stream_ops {
    ssize_t (*read)(struct relay_stream *s, void *bytes, size_t room);
    ssize_t (*write)(struct relay_stream *s, const void *bytes, size_t n);

    /* Go on to connect, when it became ready; false: errno; EAGAIN: call again after `wants`. */
    bool (*connected)(struct relay_stream *s);
    void (*close)(struct relay_stream *s);

    /* Whether bytes can be read although epoll does not say so. NULL: never. */
    bool (*pending)(const struct relay_stream *s);
};

struct relay_stream {
    const struct relay_stream_ops *ops;
    int fd;                               /* to poll */
    uint32_t wants;                       /* EPOLLOUT: poll for that too; while it connects: only */
    struct relay_secure_session *session; /* NULL: without TLS */
};

/* Messages of tcp functions that fail are in ach_errstr. */

/*
 * Use SCTP instead of TCP from now on. It carries bytes in order just as well, and so TLS; see RFC
 * 3436.
 */
void relay_tcp_use_sctp(void);

/*
 * Begin to connect to one of the addresses of the host; attempt: which one. Addresses other than
 * loopback are refused unless `anywhere`.
 */
bool relay_tcp_connect(struct relay_stream *s, const char *host, const struct addrinfo *found,
                       unsigned attempt, bool anywhere);

/* The descriptor of a listening socket, or -1. *port 0: any; out: the one that it has. */
int relay_tcp_listen(const char *address, unsigned *port, bool anywhere);

/* name: the peer's address. False: nobody waits. */
bool relay_tcp_accept(int listener, struct relay_stream *s, char *name, size_t room);

#endif
