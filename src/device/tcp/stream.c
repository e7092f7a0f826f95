/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include <ach.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* A record of TLS holds no more. */
#define RECORD 16384u

ssize_t tcp_stream_receive(const struct tcp_stream *s, void *to, size_t room)
{
    if (s->tls)
        return s->tls->session_read(s->session, to, room);
    return recv(s->fd, to, room, MSG_DONTWAIT);
}

/*
 * Join small parts in one record. If TLS takes only some of the bytes, the caller sends the rest
 * again, and maybe more: what TLS gets then begins with the same bytes, as it must.
 */
static ssize_t stream_send_tls(const struct tcp_stream *s, const struct iovec *v, int n)
{
    unsigned char record[RECORD];
    size_t size = 0;
    int i;

    for (i = 0; i < n && size < RECORD; i++) {
        size_t part = v[i].iov_len < RECORD - size ? v[i].iov_len : RECORD - size;

        memcpy(record + size, v[i].iov_base, part);
        size += part;
    }
    return s->tls->session_write(s->session, record, size);
}

ssize_t tcp_stream_send(const struct tcp_stream *s, const struct iovec *v, int n)
{
    const struct msghdr m = {.msg_iov = (struct iovec *)(uintptr_t)v, .msg_iovlen = (size_t)n};

    return s->tls ? stream_send_tls(s, v, n) : sendmsg(s->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

const char *tcp_stream_why(const struct tcp_stream *s)
{
    return s->tls ? ach_errstr() : strerror(errno);
}

bool tcp_stream_pending(const struct tcp_stream *s)
{
    return s->tls && s->tls->session_pending(s->session);
}

void tcp_stream_shutdown(const struct tcp_stream *s)
{
    if (s->tls && s->session)
        s->tls->session_shutdown(s->session);
}

void tcp_stream_finish(struct tcp_stream *s)
{
    if (!s->tls)
        return;
    s->tls->session_destroy(s->session);
    s->tls->context_destroy(s->context);
    *s = (struct tcp_stream){.fd = -1};
}
