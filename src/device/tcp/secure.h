/* SPDX-License-Identifier: BSD-3-Clause */
/* secure.h - begin TLS as a client */
#ifndef TCP_SECURE_H
#define TCP_SECURE_H

#include <ach/message.h>

#include "stream.h"

/*
 * Split "NAME@ADDRESS" of a place, the name that the server's certificate must have and where to
 * connect. Without '@' the host is both. The name of this machine is empty.
 */
ach_status_t tcp_secure_split(const ach_place_t *place, ach_place_t *where,
                              char name[TLS_NAME_MAX]);

/*
 * Begin TLS on a connected socket with the keys in ACH_KEYS. An empty name: that of the own
 * certificate. The caller runs the handshake.
 */
ach_status_t tcp_secure_begin(struct tcp_stream *stream, const char *name);

#endif
