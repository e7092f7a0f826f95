/* SPDX-License-Identifier: BSD-3-Clause */
/* listener.h - the ports of a server, and the clients that come there */
#ifndef ACHI_LISTENER_H
#define ACHI_LISTENER_H

#include "server.h"

/* The robot's own port, and one for each other robot's number among its devices. */
ach_status_t achi_listeners_add(struct achi_server *server);

/* Accept again, after there were no descriptors. */
void achi_listeners_resume(struct achi_server *server);

/* Accept no more. Sessions still ask the listeners for the robot's port. */
void achi_listeners_stop(struct achi_server *server);

void achi_listeners_remove(struct achi_server *server);

#endif
