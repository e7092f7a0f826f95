/* SPDX-License-Identifier: BSD-3-Clause */
#include "secure.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>

struct relay_secure_session {
    const struct tls_library *tls;
    struct tls_session *session;
    const struct relay_stream_ops *below;
};

/* What to poll for, after a call that returned EAGAIN. */
static uint32_t secure_wants(const struct relay_secure_session *x)
{
    return x->tls->session_wants(x->session) & POLLOUT ? EPOLLOUT : EPOLLIN;
}

static ssize_t secure_done(struct relay_stream *s, ssize_t n)
{
    s->wants = 0;
    if (n > 0)
        return n;
    if (n == 0) {
        errno = 0;
        return -1;
    }
    if (errno == EAGAIN) {
        s->wants = secure_wants(s->session);
        return 0;
    }
    errno = EPROTO;
    return -1;
}

static ssize_t secure_read(struct relay_stream *s, void *bytes, size_t room)
{
    return secure_done(s, s->session->tls->session_read(s->session->session, bytes, room));
}

static ssize_t secure_write(struct relay_stream *s, const void *bytes, size_t n)
{
    return secure_done(s, s->session->tls->session_write(s->session->session, bytes, n));
}

static bool secure_connected(struct relay_stream *s)
{
    struct relay_secure_session *x = s->session;
    ach_status_t r;

    if (!x->below->connected(s))
        return false;
    r = x->tls->session_handshake(x->session);
    s->wants = r == ACH_EAGAIN ? secure_wants(x) : 0;
    errno = r == ACH_EAGAIN ? EAGAIN : EPROTO;
    if (r == ACH_OK)
        x->tls->session_read_ahead(x->session);
    return r == ACH_OK;
}

static void secure_close(struct relay_stream *s)
{
    struct relay_secure_session *x = s->session;

    x->tls->session_shutdown(x->session);
    x->tls->session_destroy(x->session);
    x->below->close(s);
    free(x);
    s->session = NULL;
}

static bool secure_pending(const struct relay_stream *s)
{
    return s->session->tls->session_pending(s->session->session);
}

static const struct relay_stream_ops secure_ops = {.read = secure_read,
                                                   .write = secure_write,
                                                   .connected = secure_connected,
                                                   .close = secure_close,
                                                   .pending = secure_pending};

bool relay_secure_init(struct relay_secure *x, const char *directory)
{
    x->tls = tls_load();
    return x->tls && x->tls->context_create(directory, &x->context) == ACH_OK;
}

void relay_secure_finish(struct relay_secure *x)
{
    if (x->tls)
        x->tls->context_destroy(x->context);
}

bool relay_secure_begin(struct relay_secure *x, struct relay_stream *s, enum tls_role role,
                        const char *name)
{
    struct relay_secure_session *session = malloc(sizeof(*session));
    struct tls_info info;

    x->tls->context_info(x->context, &info);
    if (!session)
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a TLS session");
    if (!session ||
        x->tls->session_create(x->context, role, s->fd, name && !*name ? info.name : name,
                               &session->session) != ACH_OK) {
        free(session);
        s->ops->close(s);
        return false;
    }
    session->tls = x->tls;
    session->below = s->ops;
    s->ops = &secure_ops;
    s->session = session;
    return true;
}

const char *relay_secure_peer(const struct relay_stream *s)
{
    return s->session ? s->session->tls->session_peer(s->session->session) : "";
}

bool relay_secure_check(const struct relay_stream *s)
{
    return !s->session || s->session->tls->session_check(s->session->session) == ACH_OK;
}
