/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * server.h - HTTP and WebSockets
 *
 * Only server.c knows the library that does the work, libwebsockets. It runs the loop of the
 * program, and calls view_loop_turn from it.
 */
#ifndef VIEW_SERVER_H
#define VIEW_SERVER_H

#include "gate.h"
#include "hub.h"

struct view_server;

/* NULL after complaining. The hub and the gate stay the caller's. */
struct view_server *view_server_new(struct view_hub *h, const struct view_gate *gate);
void view_server_free(struct view_server *s);

/* Serve a connection, whose descriptor is closed in any case. */
void view_server_take(struct view_server *s, int fd);

/* Connections that are no clients yet, of all that are open. */
unsigned view_server_strangers(const struct view_server *s);

/* Until view_server_end. False: it failed. */
bool view_server_run(struct view_server *s);
void view_server_end(struct view_server *s);

#endif
