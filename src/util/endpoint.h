/* SPDX-License-Identifier: BSD-3-Clause */
/* endpoint.h - an end of a connection */
#ifndef TCP_ENDPOINT_H
#define TCP_ENDPOINT_H

#include <netinet/in.h>
#include <stdbool.h>

struct tcp_endpoint {
    int family; /* AF_INET or AF_INET6 */
    union {
        struct in_addr v4;
        struct in6_addr v6;
    } address;
    unsigned scope; /* the interface of a link-local address, or 0 */
    in_port_t port; /* in network byte order */
};

/* False: neither IPv4 nor IPv6. An IPv4-mapped IPv6 address becomes an IPv4 address. */
bool tcp_endpoint_read(const struct sockaddr_storage *a, struct tcp_endpoint *end);

bool tcp_endpoint_is_loopback(const struct tcp_endpoint *e);

#endif
