/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp.h - devices over TCP, in the protocol of Player
 *
 * A transport: see transport.h. Programs that were written for Player servers
 * talk to it as they are.
 *
 * Options of its section in a config file
 *     port               the port; 0: one that is free. The robot's number, else 6665
 *     bind               the address to listen on, as a number: "127.0.0.1" unless told otherwise
 *     secret             at most 32 characters; who does not show them with the request AUTH
 *                        may set how its own connection works, and nothing else, with messages of
 *                        256 bytes at most; after 10 seconds, or three wrong ones, it is
 *                        disconnected. All connections of a user of this machine, or of another
 *                        machine, try eight wrong secrets, and then one each second
 *     local_users        "channels", the default: a user of this machine may do what the permissions
 *                        of the robot's channels allow, see access.h; with a secret, the
 *                        secret alone decides. "any": all of them may do everything
 *     clients_max        2000. When there are so many, one makes room for another: the oldest that
 *                        has not shown the secret; without a secret the oldest whose user may do
 *                        nothing here, else one of the user or machine with the most
 *                        connections. Fewer if the limit of open files leaves no descriptors for
 *                        drivers and channels
 *     queue              messages that wait for a client that does not read: 1024. What is more is
 *                        dropped, and the client is told how many
 *     message_max        bytes of a message from a client: 1048576
 *     subscriptions_max  devices that a client subscribes to: 512; to each 32 times at most
 *     requests_max       requests of a client that are not answered: 256. It is not read
 *                        from until some are
 *     client_memory      bytes that one client makes the server hold: 67108864. Half of it may be
 *                        data that the client does not read. It is not read from while a quarter is
 *                        answers; an answer that does not fit is replaced by a NACK
 *     memory             bytes that all clients together make it hold: 268435456. Each may hold as
 *                        much as is left of it. When half is used, clients that hold much for
 *                        10 seconds are disconnected, the one that holds most first
 *     advertise          whether ach serve tells the network of its devices, by mDNS: false
 *     linger             seconds: when the server ends, it waits so long at most for clients to
 *                        receive what is in their queues: 1
 *     send_buffer        bytes that the system holds for a client: 262144. About 64 KiB of them for
 *                        a client that does not read
 *
 * Links show the secret that is in the environment variable ACH_SECRET: to servers on other
 * machines, and on this machine to those of the same user, of root, and of the user whose name or
 * number is in ACH_SECRET_USER. "any" there: to all of them.
 */
#ifndef ACH_TCP_H
#define ACH_TCP_H

#include <ach/transport.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* For ach_transport_add. */
extern const ach_transport_class_t ach_transport_tcp;

/**
 * ach_tcp_port - where a server listens
 * @server: what ach_transport_tcp.serve has set
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the port.
 *
 * Since: 3.0
 */
uint16_t ach_tcp_port(const void *server);

/**
 * ach_tcp_serve - serve a robot, at an address that is not the config file's
 * @robot: the robot, which was started
 * @options: as for ach_transport_tcp.serve; NULL: as usual
 * @bind: in place of the option bind; NULL: as that says
 * @server: set to the server, for ach_transport_tcp.end
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: an option is wrong, or the address; ACH_FAILED_SYSCALL: it cannot
 * listen there.
 *
 * Since: 3.1
 */
ach_status_t ach_tcp_serve(ach_robot_t *robot, ach_section_t *options, const char *bind,
                           void **server);

/**
 * ach_tcp_reach - who can connect to a server
 * @server: what ach_transport_tcp.serve has set
 * @interface: set to the index of the network interface whose address it listens on; 0: all
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: 1: other machines, through that interface; 0: this machine only.
 *
 * Since: 3.1
 */
int ach_tcp_reach(const void *server, unsigned *interface);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
