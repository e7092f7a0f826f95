/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listener.h - accept connections
 *
 * A connection from this machine is accepted only of the user who runs the server, and of root: the
 * kernel tells who made the other end. So other users cannot even try tokens.
 */
#ifndef VIEW_LISTENER_H
#define VIEW_LISTENER_H

#include "loop.h"
#include "origin.h"

#define VIEW_LISTENERS 2u

typedef void view_accepted_t(void *context, int fd); /* takes over the descriptor */
typedef bool view_room_t(void *context);             /* may there be another connection? */

struct view_listener {
    struct view_loop *loop;
    view_accepted_t *accepted;
    view_room_t *room;
    void *context;
    struct tcp_origins origins;
    bool has_origins;
    struct view_watch watches[VIEW_LISTENERS];
    struct view_timer later; /* accept again: there were no descriptors */
    unsigned n;
    uint16_t port;
};

/* address: NULL for loopback, of IPv4 and IPv6. False after complaining. */
bool view_listener_open(struct view_listener *l, const char *address, unsigned port);
void view_listener_close(struct view_listener *l);

#endif
