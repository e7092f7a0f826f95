/* SPDX-License-Identifier: BSD-3-Clause */
/* udp_socket.h - sockets for datagrams, on the interface of a link */
#ifndef RELAY_UDP_SOCKET_H
#define RELAY_UDP_SOCKET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* Each returns a descriptor, or -1 with ach_errstr. `stream`: the connected socket of the link. */

/* To the peer of the link and from it, at any port of this host. */
int relay_udp_socket(int stream, uint16_t *port);

/* To a group. */
int relay_udp_socket_group(int stream, const unsigned char group[4], uint16_t port);

/* From a group, what the peer of the link sends there. */
int relay_udp_socket_join(int stream, const unsigned char group[4], uint16_t port);

/* Exchange datagrams only with the peer of the link, at this port. */
bool relay_udp_socket_connect(int fd, int stream, uint16_t port);

/* The IPv4 address of this side of a link. False: it has none. */
bool relay_udp_socket_local(int stream, struct in_addr *local);

#endif
