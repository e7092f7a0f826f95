/* SPDX-License-Identifier: BSD-3-Clause */
/* refusals.c - the rate-limited log of rejected clients */
#include <ach.h>
#include <stdio.h>

#include "server.h"

/* Seconds between log messages about rejected clients. */
#define TELL_SECONDS 10

static void tell_turned_away(struct tcp_server *server)
{
    if (server->turned_away == 1)
        ach_robot_log(server->robot, ACH_LOG_WARNING, "a client is turned away: %s", server->why);
    else
        ach_robot_log(server->robot, ACH_LOG_WARNING,
                      "%u clients were turned away within %d s, the last one because %s",
                      server->turned_away, TELL_SECONDS, server->why);
    server->turned_away = 0;
    server->told = tcp_loop_seconds();
}

void tcp_server_tell_turned_away(struct tcp_server *server)
{
    if (server->turned_away && tcp_loop_seconds() - server->told >= TELL_SECONDS)
        tell_turned_away(server);
}

/* The first rejection is logged at once, later ones together: there may be very many. */
void tcp_server_turn_away(struct tcp_server *server, const char *why)
{
    server->turned_away++;
    snprintf(server->why, sizeof(server->why), "%s", why);
    tcp_server_tell_turned_away(server);
    if (server->turned_away)
        tcp_loop_set_ticking(server->loop, true);
}
