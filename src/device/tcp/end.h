/* SPDX-License-Identifier: BSD-3-Clause */
/* end.h - an end of a connection */
#ifndef ACHI_END_H
#define ACHI_END_H

#include <netinet/in.h>
#include <stdbool.h>

struct achi_end {
    int family; /* AF_INET or AF_INET6 */
    union {
        struct in_addr v4;
        struct in6_addr v6;
    } address;
    unsigned scope; /* the interface of a link-local address, or 0 */
    in_port_t port; /* in the order of the network */
};

/* False: it is no end of TCP. An IPv4 address in the form of IPv6 becomes one of IPv4. */
bool achi_end_read(const struct sockaddr_storage *a, struct achi_end *end);

bool achi_end_is_loopback(const struct achi_end *e);

#endif
