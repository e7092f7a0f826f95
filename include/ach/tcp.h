/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp.h - devices over TCP, in the protocol of Player
 *
 * A transport: see transport.h. Programs that were written for Player servers
 * work with it unchanged.
 *
 * Options of its section in a config file
 *     port               the port; 0: any free port. Default: the robot's number, else 6665
 *     bind               the numeric address to listen on. Default: "127.0.0.1"
 *     secret             at most 32 characters. A client that has not sent it with the request AUTH
 *                        may only configure its own connection, with messages of at most 256 bytes;
 *                        it is disconnected after 10 seconds, or after three wrong secrets. All
 *                        connections of one local user, or of one remote machine, together may try
 *                        eight wrong secrets, and then one each second
 *     tls                a directory of keys, which ach keys makes: clients must connect with TLS
 *                        1.3 and show a certificate of the same authority, within 10 seconds.
 *                        Default: no TLS
 *     local_users        "channels", the default: a local user has the rights that the permissions
 *                        of the robot's channels give, see access.h; with a secret, the secret
 *                        alone decides. "any": every local user has all rights
 *     clients_max        the most clients. Default: 2000. Beyond it a client is disconnected to
 *                        admit a new one: with a secret, the oldest that has not sent it; without a
 *                        secret, the oldest whose user has no rights here, else one of the user or
 *                        machine with the most connections. The limit is lower if the limit of open
 *                        files would leave no descriptors for drivers and channels
 *     queue              the most messages queued for a client that does not read. Default: 1024.
 *                        More are dropped, and the client is notified of their number
 *     message_max        the most bytes of a message from a client. Default: 1048576
 *     subscriptions_max  the most devices that a client subscribes to. Default: 512. A client can
 *                        subscribe to each at most 32 times
 *     requests_max       the most unanswered requests of a client. Default: 256. At the limit the
 *                        server does not read from the client until some are answered
 *     client_memory      the most bytes that the server holds for one client. Default: 67108864.
 *                        Half of it may be data that the client does not read. While a quarter is
 *                        answers, the server does not read from the client; an answer that does not
 *                        fit is replaced by a NACK
 *     memory             the most bytes that the server holds for all clients. Default: 268435456.
 *                        Each client may hold as much as is left of it. When half is used, clients
 *                        that hold much for 10 seconds are disconnected, the one that holds most
 *                        first
 *     advertise          whether ach serve announces its devices by mDNS. Default: false
 *     linger             seconds that a server that ends waits at most for clients to receive the
 *                        messages in their queues. Default: 1
 *     send_buffer        bytes that the system buffers for a client. Default: 262144. A client that
 *                        does not read uses about 64 KiB of them
 *
 * A link sends the secret in the environment variable ACH_SECRET to servers on other machines. On
 * this machine it sends it only to servers of the same user, of root, and of the user whose name or
 * number is in ACH_SECRET_USER. If that is "any", it sends it to all servers.
 *
 * A link of the transport "tls" uses the keys in the directory that the environment variable
 * ACH_KEYS names. The name in the server's certificate must be the host of the address. If the server has
 * another address, write "robot1@192.168.1.5:6665:laser:0": robot1 is the name. A server of this
 * machine, for which no host is given, must have the same name as the client. If ACH_KEYS is set,
 * ach_device_open uses "tls" in place of "tcp".
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

/* The same inside TLS. It has no server: those of ach_transport_tcp serve both. Since 3.1. */
extern const ach_transport_class_t ach_transport_tls;

/**
 * ach_tcp_port - the port of a server
 * @server: the server, set by ach_transport_tcp.serve
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the port.
 *
 * Since: 3.0
 */
uint16_t ach_tcp_port(const void *server);

/**
 * ach_tcp_serve - serve a robot at a given address
 * @robot: the robot, which was started
 * @options: as for ach_transport_tcp.serve; NULL: defaults
 * @bind: the address, instead of the option bind; NULL: the option's
 * @keys: a directory of keys for TLS, instead of the option tls; NULL: the option's
 * @server: set to the server, for ach_transport_tcp.end
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: an option is wrong, the address, or a key; ACH_EACCES: the keys are
 * not valid; ACH_ENOTSUP: there is no TLS here; ACH_FAILED_SYSCALL: it cannot listen there.
 *
 * Since: 3.1
 */
ach_status_t ach_tcp_serve(ach_robot_t *robot, ach_section_t *options, const char *bind,
                           const char *keys, void **server);

/**
 * ach_tcp_has_tls - whether a server requires TLS
 * @server: the server, set by ach_tcp_serve
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: 1 or 0.
 *
 * Since: 3.1
 */
int ach_tcp_has_tls(const void *server);

/**
 * ach_tcp_reload - read the keys of a server again
 * @server: the server, set by ach_tcp_serve
 *
 * New connections use the new keys. Clients whose certificates are revoked or not valid any
 * more are disconnected. If anything in the directory is not valid, nothing changes.
 *
 * Allocates: yes. Blocks: on the file system.
 *
 * Returns: ACH_OK; ACH_ENOTSUP: the server does not use TLS; otherwise the keys are not valid, and
 * ach_errstr says why.
 *
 * Since: 3.1
 */
ach_status_t ach_tcp_reload(void *server);

/**
 * ach_tcp_reach - whether other machines can connect to a server
 * @server: the server, set by ach_transport_tcp.serve
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
