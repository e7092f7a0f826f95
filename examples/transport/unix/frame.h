/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frame.h - messages on a socket
 *
 * A message is a header of ACH_FRAME_HEADER bytes and its body, as on TCP. A
 * connection is for one device: the client's first request is DEV of the
 * interface player, with the device's address; or DEVLIST, and it is over. The answer to DEV says
 * in its field access what the client may do, of ACH_RIGHT_*.
 */
#ifndef FRAME_H
#define FRAME_H

#include <ach/transport.h>

/* Bytes of a body that a server takes from its clients. */
#define BODY_MAX (1u << 20)

/* Send one whole message; blocks. ACH_CLOSED: the other side is gone. */
ach_status_t frame_send(int fd, const ach_message_t *message);

/* Receive one whole message of at most this size; blocks. ACH_CLOSED; ACH_CORRUPT; ACH_TIMEOUT. */
ach_status_t frame_receive(int fd, size_t body_max, ach_message_t **message);

/* The socket's address; false: the path is too long. */
struct sockaddr_un;
bool frame_address(const char *path, struct sockaddr_un *address);

/* As the class's functions. */
ach_status_t unix_serve(ach_robot_t *robot, ach_section_t *options, void **server);
void unix_end(void *server);
ach_status_t unix_connect(const ach_place_t *place, ach_queue_t *queue, double timeout,
                          ach_link_t **link);
ach_status_t unix_send(ach_link_t *link, const ach_message_t *message);
void unix_disconnect(ach_link_t *link);
unsigned unix_rights(const ach_link_t *link);
ach_status_t unix_list(const ach_place_t *place, double timeout, ach_device_info_t *devices,
                       size_t room, size_t *count);

#endif
