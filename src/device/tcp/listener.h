/* SPDX-License-Identifier: BSD-3-Clause */
/* listener.h - the listening ports of a server */
#ifndef TCP_LISTENER_H
#define TCP_LISTENER_H

#include "server.h"

/* The robot's own port, and one for each other robot's number among its devices. */
ach_status_t tcp_listeners_add(struct tcp_server *server);

/* Accept again, after a pause for lack of descriptors or memory. */
void tcp_listeners_resume(struct tcp_server *server);

/* Stop accepting. The listeners remain, as sessions read the robot's port from them. */
void tcp_listeners_stop(struct tcp_server *server);

void tcp_listeners_remove(struct tcp_server *server);

#endif
