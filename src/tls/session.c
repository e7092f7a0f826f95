/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "certificate.h"
#include "context.h"
#include "error.h"
#include "socket.h"
#include "verify.h"

struct tls_session {
    struct tls_context *context;
    SSL *ssl;
    enum tls_role role;
    bool established;
    bool failed; /* OpenSSL must not be called any more, not even to end the session */
    bool cut;    /* nothing can be written; what came before can still be read */
    bool more;   /* after the last read, OpenSSL has bytes, or a part of a record */
    short wants;
    char expected[TLS_NAME_MAX]; /* "": any name */
    char peer[TLS_NAME_MAX];     /* what its certificate says, even if that is not valid */
};

/* OpenSSL calls it for each certificate of the chain; the peer's is the last, with depth 0. */
static int session_verify(int valid, X509_STORE_CTX *store)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct tls_session *s = SSL_get_app_data(ssl);
    bool named = tls_certificate_name(X509_STORE_CTX_get0_cert(store), s->peer);

    if (!valid || X509_STORE_CTX_get_error_depth(store) > 0)
        return valid;
    if (!named)
        X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
    else if (*s->expected && strcasecmp(s->peer, s->expected) != 0)
        X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
    else
        return 1;
    return 0;
}

static bool session_begin(struct tls_session *s, int fd)
{
    BIO *bio = tls_socket_bio(fd);

    if (!bio)
        return false;
    SSL_set_bio(s->ssl, bio, bio);
    SSL_set_app_data(s->ssl, s);
    SSL_set_verify(s->ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, session_verify);
    if (s->role == TLS_SERVER)
        SSL_set_accept_state(s->ssl);
    else
        SSL_set_connect_state(s->ssl);
    return true;
}

ach_status_t tls_session_create(struct tls_context *context, enum tls_role role, int fd,
                                const char *peer, struct tls_session **session)
{
    SSL_CTX *current;
    struct tls_session *s;

    if ((role == TLS_CLIENT && !peer) || (peer && !tls_name_valid(peer)))
        return ach_errstr_set(ACH_EINVAL, "'%s' is not a name that a certificate can have",
                              peer ? peer : "");
    s = calloc(1, sizeof(*s));
    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a TLS session");
    s->context = context;
    s->role = role;
    if (peer)
        memcpy(s->expected, peer, strlen(peer) + 1);
    current = tls_context_current(context);
    s->ssl = SSL_new(current);
    SSL_CTX_free(current);
    if (!s->ssl || !session_begin(s, fd)) {
        tls_session_destroy(s);
        return tls_error(ACH_FAILED_SYSCALL, "cannot begin a TLS session");
    }
    *session = s;
    return ACH_OK;
}

void tls_session_destroy(struct tls_session *s)
{
    if (!s)
        return;
    SSL_free(s->ssl);
    free(s);
}

/* An alert that the peer has sent; its number is the reason less SSL_AD_REASON_OFFSET. */
static ach_status_t session_explain_alert(int alert)
{
    switch (alert) {
    case SSL_AD_CERTIFICATE_REQUIRED:
        return ach_errstr_set(ACH_EACCES, "the peer requires a certificate");
    case SSL_AD_CERTIFICATE_REVOKED:
        return ach_errstr_set(ACH_EACCES, "the peer refuses our certificate: it is revoked");
    case SSL_AD_CERTIFICATE_EXPIRED:
        return ach_errstr_set(ACH_EACCES, "the peer refuses our certificate: it has expired");
    case SSL_AD_UNKNOWN_CA:
        return ach_errstr_set(ACH_EACCES, "the peer refuses our certificate: its authority is not "
                                          "in the ca.pem of the peer");
    case SSL_AD_PROTOCOL_VERSION:
        return ach_errstr_set(ACH_EACCES, "the peer does not offer TLS 1.3");
    default:
        return ach_errstr_set(ACH_EACCES, "the peer refuses the connection: %s",
                              SSL_alert_desc_string_long(alert));
    }
}

static ach_status_t session_explain_verify(const struct tls_session *s, int error)
{
    if (error == X509_V_ERR_HOSTNAME_MISMATCH)
        return ach_errstr_set(ACH_EACCES, "expected the certificate of %s, found that of %s",
                              s->expected, s->peer);
    return tls_verify_explain("the", s->peer, error);
}

/* Explain an error of the protocol. */
static ach_status_t session_explain_error(const struct tls_session *s)
{
    int reason = ERR_GET_REASON(ERR_peek_error());
    long verified = SSL_get_verify_result(s->ssl);

    switch (reason) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
        return session_explain_verify(s, (int)verified);
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
        return ach_errstr_set(ACH_EACCES, "the peer has shown no certificate");
    case SSL_R_UNSUPPORTED_PROTOCOL:
        return ach_errstr_set(ACH_EACCES, "the peer does not offer TLS 1.3");
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
        if (!s->established)
            return ach_errstr_set(ACH_CORRUPT, "the peer does not use TLS");
        break;
    case SSL_R_UNEXPECTED_EOF_WHILE_READING:
        return ach_errstr_set(ACH_CLOSED, "the connection was cut");
    default:
        if (reason > SSL_AD_REASON_OFFSET)
            return session_explain_alert(reason - SSL_AD_REASON_OFFSET);
    }
    return tls_error(ACH_CORRUPT, "TLS");
}

/* Explain a result of OpenSSL that is not a success. ACH_EAGAIN: the socket is not ready. */
static ach_status_t session_explain(struct tls_session *s, int result, int system)
{
    int error = SSL_get_error(s->ssl, result);
    ach_status_t status;

    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        s->wants = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
        return ACH_EAGAIN;
    }
    if (error == SSL_ERROR_ZERO_RETURN)
        return ach_errstr_set(ACH_CLOSED, "the peer has ended the connection");
    s->failed = true;
    if (error == SSL_ERROR_SSL)
        status = session_explain_error(s);
    else
        status = ach_errstr_set(ACH_CLOSED, "the connection was cut%s%s", system ? ": " : "",
                                system ? strerror(system) : "");
    ERR_clear_error();
    return status;
}

/* Forget errors of before. Clearing an empty queue of OpenSSL costs more than to look at it. */
static void session_forget(void)
{
    if (ERR_peek_error())
        ERR_clear_error();
    errno = 0;
}

ach_status_t tls_session_handshake(struct tls_session *s)
{
    int result;

    if (s->failed)
        return ach_errstr_set(ACH_CLOSED, "the TLS session has failed");
    session_forget();
    result = SSL_do_handshake(s->ssl);
    if (result != 1)
        return session_explain(s, result, errno);
    s->established = true;
    return ACH_OK;
}

/* -1 with errno, or 0 at the end. */
static ssize_t session_stop(struct tls_session *s, int result, int system)
{
    ach_status_t status = session_explain(s, result, system);

    s->cut = s->cut || s->failed;
    if (status == ACH_CLOSED && !s->failed)
        return 0;
    errno = status == ACH_EAGAIN ? EAGAIN : status == ACH_CLOSED ? ECONNRESET : EPROTO;
    return -1;
}

/* If the socket is broken, the protocol is not: bytes that came before can be read. */
static ssize_t session_stop_writing(struct tls_session *s, int result, int system)
{
    bool broken = SSL_get_error(s->ssl, result) == SSL_ERROR_SYSCALL;
    ssize_t n = session_stop(s, result, system);

    s->failed = s->failed && !broken;
    return n;
}

static bool session_usable(const struct tls_session *s)
{
    if (s->established && !s->failed)
        return true;
    ach_errstr_set(ACH_CLOSED, "the TLS session %s",
                   s->failed ? "has failed" : "has not finished its handshake");
    errno = ENOTCONN;
    return false;
}

/* One record: after a failure behind some bytes, OpenSSL would not report it again. */
ssize_t tls_session_read(struct tls_session *s, void *to, size_t size)
{
    int result;

    if (!session_usable(s))
        return -1;
    session_forget();
    result = SSL_read(s->ssl, to, size < INT_MAX ? (int)size : INT_MAX);
    s->more = result > 0 && SSL_has_pending(s->ssl);
    return result > 0 ? result : session_stop(s, result, errno);
}

ssize_t tls_session_write(struct tls_session *s, const void *from, size_t size)
{
    size_t n = 0;
    int result = 1;

    if (!session_usable(s))
        return -1;
    if (s->cut) {
        ach_errstr_set(ACH_CLOSED, "the connection was cut");
        errno = EPIPE;
        return -1;
    }
    while (n < size && result > 0) {
        size_t rest = size - n < INT_MAX ? size - n : INT_MAX;

        session_forget();
        result = SSL_write(s->ssl, (const char *)from + n, (int)rest);
        if (result > 0)
            n += (size_t)result;
    }
    return n || !size ? (ssize_t)n : session_stop_writing(s, result, errno);
}

void tls_session_read_ahead(struct tls_session *s)
{
    SSL_set_read_ahead(s->ssl, 1);
}

short tls_session_wants(const struct tls_session *s)
{
    return s->wants;
}

bool tls_session_pending(const struct tls_session *s)
{
    return s->established && !s->failed && s->more;
}

void tls_session_shutdown(struct tls_session *s)
{
    if (!s->established || s->failed || s->cut)
        return;
    SSL_shutdown(s->ssl);
    ERR_clear_error();
}

const char *tls_session_peer(const struct tls_session *s)
{
    return s->established ? s->peer : "";
}

ach_status_t tls_session_check(const struct tls_session *s)
{
    X509 *certificate = SSL_get0_peer_certificate(s->ssl);
    SSL_CTX *current;
    ach_status_t status;

    if (!s->established || !certificate)
        return ach_errstr_set(ACH_EACCES, "the peer has shown no certificate");
    current = tls_context_current(s->context);
    status = tls_verify(SSL_CTX_get_cert_store(current), certificate,
                        s->role == TLS_SERVER ? TLS_CLIENT : TLS_SERVER, "the");
    SSL_CTX_free(current);
    return status;
}
