/* SPDX-License-Identifier: BSD-3-Clause */
/* rights.c - what a client may do, and why not more */
#include <ach.h>
#include <stdio.h>
#include <time.h>

#include "session.h"

/* Seconds between logged refusals, over all clients: a client may try very often. */
#define LOG_SECONDS 5

bool tcp_rights_limited(const struct tcp_session *s)
{
    return s->origin.local && !s->server->options.any_local_user && !*s->server->options.secret;
}

unsigned tcp_rights_of(const struct tcp_session *s, const ach_address_t *device)
{
    if (tcp_rights_limited(s))
        return ach_robot_rights(s->server->robot, device, s->origin.uid);
    return device ? ACH_RIGHT_ALL : ACH_RIGHT_LIST;
}

static const char *cannot(unsigned rights)
{
    if (!(rights & ACH_RIGHT_DATA))
        return "may not use";
    if (!(rights & (ACH_RIGHT_COMMAND | ACH_RIGHT_REQUEST)))
        return "may only read the data of";
    return rights & ACH_RIGHT_COMMAND ? "may not send requests to" : "may not command";
}

const char *tcp_rights_why(const struct tcp_session *s, const ach_address_t *device,
                           unsigned rights, char why[TCP_WHY])
{
    char text[ACH_ADDRESS_MAX], who[64] = "a user whom the server cannot identify";

    if (s->origin.uid != ACH_UID_UNKNOWN)
        snprintf(who, sizeof(who), "the user with uid %u", (unsigned)s->origin.uid);
    snprintf(why, TCP_WHY,
             "%s %s %s; the permissions of the robot's channels decide, see the sections access "
             "and tcp in ach-robot.cfg(5)",
             who, device ? cannot(rights) : "may not list the devices of",
             device ? ach_address_text(device, text) : "this robot");
    return why;
}

void tcp_rights_log(struct tcp_session *s, const char *what, const char *why)
{
    struct tcp_server *server = s->server;
    struct timespec now;
    char more[64] = "";

    if (s->told_refusal)
        return;
    s->told_refusal = true;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (server->refusal_told && now.tv_sec - server->refusal_told < LOG_SECONDS) {
        server->refusals++;
        return;
    }
    if (server->refusals)
        snprintf(more, sizeof(more), " (%u more clients were refused something)", server->refusals);
    server->refusals = 0;
    server->refusal_told = now.tv_sec;
    ach_robot_log(server->robot, ACH_LOG_WARNING, "client %s: %s is refused: %s%s", s->name, what,
                  why, more);
}
