/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unix.c - a transport over a Unix socket, as a plug-in
 *
 * The server's options are in a section of the config file:
 *
 *     plugin "./unix.so"
 *     unix ( path "/run/robot.sock" linger 2 )
 *
 * linger: the seconds that clients have to receive the last messages when the server ends.
 * Applications name the socket in place of a host: /run/robot.sock::laser:0
 */
#include "frame.h"

static const ach_transport_class_t unix_class = {
    .version = ACH_TRANSPORT_VERSION,
    .name = "unix",
    .serve = unix_serve,
    .end = unix_end,
    .connect = unix_connect,
    .send = unix_send,
    .disconnect = unix_disconnect,
    .list = unix_list,
    .rights = unix_rights,
};

ACH_TRANSPORT_PLUGIN(&unix_class)
