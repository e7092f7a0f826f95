/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - the bytes of a connection: plain, or inside TLS */
#ifndef TCP_STREAM_H
#define TCP_STREAM_H

#include <ach/status.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "../../tls/tls.h"

struct tcp_stream {
    int fd;                        /* not closed here */
    const struct tls_library *tls; /* NULL: plain */
    struct tls_session *session;
    struct tls_context *context; /* if it belongs to this stream; else NULL */
};

/* As recv and sendmsg with MSG_DONTWAIT. After an error, tcp_stream_why says why. */
ssize_t tcp_stream_receive(const struct tcp_stream *s, void *to, size_t room);
ssize_t tcp_stream_send(const struct tcp_stream *s, const struct iovec *v, int n);

/* A sentence for the errno of the last call that failed. */
const char *tcp_stream_why(const struct tcp_stream *s);

/* Whether bytes can be received although poll does not say so. */
bool tcp_stream_pending(const struct tcp_stream *s);

/* Tell the other side that nothing more comes. Call it before the socket is closed. */
void tcp_stream_shutdown(const struct tcp_stream *s);

void tcp_stream_finish(struct tcp_stream *s);

#endif
