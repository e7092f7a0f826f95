/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * secure.h - TLS 1.3 on a stream
 *
 * libachtls is loaded when it is needed, so that achd does not link OpenSSL.
 */
#ifndef RELAY_SECURE_H
#define RELAY_SECURE_H

#include "../tls/tls.h"
#include "stream.h"

struct relay_secure {
    const struct tls_library *tls;
    struct tls_context *context;
};

/* Messages of functions that fail are in ach_errstr. */

/* Read a directory of keys. */
bool relay_secure_init(struct relay_secure *x, const char *directory);

/* All streams must have been closed. */
void relay_secure_finish(struct relay_secure *x);

/*
 * Use TLS on a stream that is connected, or that connects. name: what the peer's certificate must
 * say; "": the name of this host. A server accepts any name of its authority: NULL. After a failure
 * the stream is closed.
 */
bool relay_secure_begin(struct relay_secure *x, struct relay_stream *s, enum tls_role role,
                        const char *name);

/* The name in the peer's certificate; "": there is none, or the handshake has not ended. */
const char *relay_secure_peer(const struct relay_stream *s);

/* Whether the peer's certificate is still valid; true without TLS. */
bool relay_secure_check(const struct relay_stream *s);

#endif
