/* SPDX-License-Identifier: BSD-3-Clause */
/* transport.c - the public functions and the transport class of libachtcp */
#include <ach/tcp.h>

#include "link.h"
#include "reach.h"
#include "server.h"

ach_status_t ach_tcp_serve(ach_robot_t *robot, ach_section_t *options, const char *bind,
                           const char *keys, void **server)
{
    struct tcp_options o;
    struct tcp_server *made;
    ach_status_t status = tcp_options_read(&o, options, (int)ach_robot_number(robot), bind, keys);

    if (status == ACH_OK)
        status = tcp_server_create(robot, &o, &made);
    if (status == ACH_OK)
        *server = made;
    return status;
}

static ach_status_t serve(ach_robot_t *robot, ach_section_t *options, void **server)
{
    return ach_tcp_serve(robot, options, NULL, NULL, server);
}

static void end(void *server)
{
    tcp_server_destroy(server);
}

uint16_t ach_tcp_port(const void *server)
{
    return ((const struct tcp_server *)server)->listeners->port;
}

int ach_tcp_reach(const void *server, unsigned *interface)
{
    return tcp_reach_find(((const struct tcp_server *)server)->listeners->peer.fd, interface);
}

ach_status_t ach_tcp_reload(void *server)
{
    return tcp_server_reload(server);
}

int ach_tcp_has_tls(const void *server)
{
    return ((const struct tcp_server *)server)->keys != NULL;
}

const ach_transport_class_t ach_transport_tcp = {
    .version = ACH_TRANSPORT_VERSION,
    .name = "tcp",
    .serve = serve,
    .end = end,
    .connect = tcp_link_connect,
    .send = tcp_link_send,
    .flush = tcp_link_flush,
    .disconnect = tcp_link_disconnect,
    .list = tcp_list,
    .rights = tcp_link_rights,
};

const ach_transport_class_t ach_transport_tls = {
    .version = ACH_TRANSPORT_VERSION,
    .name = "tls",
    .connect = tcp_link_connect_tls,
    .send = tcp_link_send,
    .flush = tcp_link_flush,
    .disconnect = tcp_link_disconnect,
    .list = tcp_list_tls,
    .rights = tcp_link_rights,
};
