/* SPDX-License-Identifier: BSD-3-Clause */
/* link.h - a connection to one device of a server elsewhere; see transport.h */
#ifndef TCP_LINK_H
#define TCP_LINK_H

#include <ach/transport.h>

ach_status_t tcp_link_connect(const ach_place_t *place, ach_queue_t *queue, double timeout,
                              ach_link_t **link);
ach_status_t tcp_link_send(ach_link_t *link, const ach_message_t *message);
ach_status_t tcp_link_flush(ach_link_t *link, double seconds);
void tcp_link_disconnect(ach_link_t *link);
unsigned tcp_link_rights(const ach_link_t *link);

ach_status_t tcp_list(const ach_place_t *place, double timeout, ach_device_info_t *devices,
                      size_t room, size_t *count);

/* The same inside TLS. */
ach_status_t tcp_link_connect_tls(const ach_place_t *place, ach_queue_t *queue, double timeout,
                                  ach_link_t **link);
ach_status_t tcp_list_tls(const ach_place_t *place, double timeout, ach_device_info_t *devices,
                          size_t room, size_t *count);

#endif
