/* SPDX-License-Identifier: BSD-3-Clause */
/* transport.c - what the rest of the world sees of it */
#include <ach/tcp.h>

#include "link.h"
#include "reach.h"
#include "server.h"

ach_status_t ach_tcp_serve(ach_robot_t *robot, ach_section_t *options, const char *bind,
                           void **server)
{
    struct achi_options o;
    struct achi_server *made;
    ach_status_t status = achi_options_read(&o, options, (int)ach_robot_number(robot), bind);

    if (status == ACH_OK)
        status = achi_server_create(robot, &o, &made);
    if (status == ACH_OK)
        *server = made;
    return status;
}

static ach_status_t serve(ach_robot_t *robot, ach_section_t *options, void **server)
{
    return ach_tcp_serve(robot, options, NULL, server);
}

static void end(void *server)
{
    achi_server_destroy(server);
}

uint16_t ach_tcp_port(const void *server)
{
    return ((const struct achi_server *)server)->listeners->port;
}

int ach_tcp_reach(const void *server, unsigned *interface)
{
    return achi_reach_find(((const struct achi_server *)server)->listeners->peer.fd, interface);
}

const ach_transport_class_t ach_transport_tcp = {
    .version = ACH_TRANSPORT_VERSION,
    .name = "tcp",
    .serve = serve,
    .end = end,
    .connect = achi_link_connect,
    .send = achi_link_send,
    .flush = achi_link_flush,
    .disconnect = achi_link_disconnect,
    .list = achi_list,
    .rights = achi_link_rights,
};
