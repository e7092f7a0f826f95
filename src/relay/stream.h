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

/* Never blocking. Each returns a number of bytes; 0: not now; -1: the connection ended, errno;
 * errno 0: the peer has closed it. */
struct relay_stream_ops {
    ssize_t (*read)(struct relay_stream *s, void *bytes, size_t room);
    ssize_t (*write)(struct relay_stream *s, const void *bytes, size_t n);
    bool (*connected)(struct relay_stream *s); /* after it became writable; false: errno */
    void (*close)(struct relay_stream *s);
};

struct relay_stream {
    const struct relay_stream_ops *ops;
    int fd; /* to poll */
};

/* Messages of tcp functions that fail are in ach_errstr. */

/*
 * Begin to connect to one of the addresses of the host; attempt: which one. Addresses other than
 * loopback are refused unless `insecure`.
 */
bool relay_tcp_connect(struct relay_stream *s, const char *host, const struct addrinfo *found,
                       unsigned attempt, bool insecure);

/* The descriptor of a listening socket, or -1. *port 0: any; out: the one that it has. */
int relay_tcp_listen(const char *address, unsigned *port, bool insecure);

/* name: the peer's address. False: nobody waits. */
bool relay_tcp_accept(int listener, struct relay_stream *s, char *name, size_t room);

#endif
