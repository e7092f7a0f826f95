/* SPDX-License-Identifier: BSD-3-Clause */
/* socket.h - a socket as OpenSSL wants it */
#ifndef TLS_SOCKET_H
#define TLS_SOCKET_H

#include <openssl/bio.h>

/*
 * OpenSSL's own BIO for sockets writes with write(2), which raises SIGPIPE. This one never blocks
 * and raises no signal. It does not close the socket. NULL: no memory.
 */
BIO *tls_socket_bio(int fd);

#endif
