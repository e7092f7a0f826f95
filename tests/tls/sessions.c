/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions.c - which peers are refused, and what reads and writes return */
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "fixture.h"
#include "socket.h"
#include "tests.h"

static struct tls_authority authority;
static struct tls_context *server;

/* A peer that is made with OpenSSL alone, and checks nothing. NULL: without a certificate. */
static SSL *raw_make(const struct host *h, int fd, bool accepts)
{
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    BIO *bio = tls_socket_bio(fd);
    SSL *ssl;

    REQUIRE(context && bio);
    if (h)
        REQUIRE(SSL_CTX_use_certificate(context, h->certificate) == 1 &&
                SSL_CTX_use_PrivateKey(context, h->key) == 1);
    ssl = SSL_new(context);
    REQUIRE(ssl);
    SSL_CTX_free(context);
    SSL_set_bio(ssl, bio, bio);
    if (accepts)
        SSL_set_accept_state(ssl);
    else
        SSL_set_connect_state(ssl);
    return ssl;
}

/* The handshake of a session with a raw peer. */
static ach_status_t raw_shake(SSL *ssl, struct tls_session *s)
{
    ach_status_t status = ACH_EAGAIN;
    int rounds;

    for (rounds = 0; rounds < 20 && status == ACH_EAGAIN; rounds++) {
        SSL_do_handshake(ssl);
        status = tls_session_handshake(s);
    }
    SSL_do_handshake(ssl);
    ERR_clear_error();
    return status;
}

/* A client with this certificate is refused with these words, and nothing can be read from it. */
static void refuse_client(const struct host *h, const char *words)
{
    struct pair p;
    char byte;
    SSL *ssl;

    pair_begin(&p, NULL, NULL, server);
    ssl = raw_make(h, p.fd[0], false);
    CHECK_STATUS(raw_shake(ssl, p.server), ACH_EACCES);
    CHECK_SAYS(words);
    SSL_write(ssl, "x", 1);
    CHECK(tls_session_read(p.server, &byte, 1) == -1 && errno == ENOTCONN);
    CHECK(tls_session_write(p.server, "x", 1) == -1 && errno == ENOTCONN);
    CHECK(SSL_read(ssl, &byte, 1) <= 0);
    CHECK(strcmp(tls_session_peer(p.server), "") == 0);
    SSL_free(ssl);
    pair_end(&p);
}

/* A server with this certificate is refused by a client that expects "robot". */
static void refuse_server(const struct host *h, const char *words)
{
    struct pair p;
    SSL *ssl;

    pair_begin(&p, server, "robot", NULL);
    ssl = raw_make(h, p.fd[1], true);
    CHECK_STATUS(raw_shake(ssl, p.client), ACH_EACCES);
    CHECK_SAYS(words);
    SSL_free(ssl);
    pair_end(&p);
}

static void refuse_validity(const char *words, struct tls_validity valid)
{
    struct host h = host_make(&authority, "robot", valid);

    refuse_client(&h, words);
    refuse_server(&h, words);
    host_free(&h);
}

static void test_validity(void)
{
    refuse_validity("the certificate of robot has expired", days(-10, -1));
    refuse_validity("is not valid yet", days(1, 2));
}

static void test_other_authority(void)
{
    struct tls_authority other = authority_make();
    struct host h = host_make(&other, "robot", days(-1, 1));
    struct host self = {.key = tls_certificate_key()};

    self.certificate = tls_certificate_make("robot", self.key, days(-1, 1), NULL);
    refuse_client(&h, "is not signed by an authority of ca.pem");
    refuse_server(&h, "is not signed by an authority of ca.pem");
    refuse_client(&self, "is not signed by an authority of ca.pem");
    refuse_client(NULL, "the peer has shown no certificate");
    host_free(&self);
    host_free(&h);
    authority_free(&other);
}

static void test_wrong_name(void)
{
    struct host h = host_make(&authority, "robot2", days(-1, 1));

    refuse_server(&h, "expected the certificate of robot, found that of robot2");
    host_free(&h);
}

/* Sign a certificate again, with these alternative names instead of its own. */
static void rename_host(struct host *h, const char *names)
{
    int at = X509_get_ext_by_NID(h->certificate, NID_subject_alt_name, -1);
    X509_EXTENSION *e;

    X509_EXTENSION_free(X509_delete_ext(h->certificate, at));
    if (names) {
        e = X509V3_EXT_nconf_nid(NULL, NULL, NID_subject_alt_name, names);
        REQUIRE(e && X509_add_ext(h->certificate, e, -1));
        X509_EXTENSION_free(e);
    }
    REQUIRE(X509_sign(h->certificate, authority.key, NULL));
}

static void test_names(void)
{
    static const char *const wrong[] = {NULL, "DNS:robot,DNS:robot2", "DNS:*.robot", "IP:127.0.0.1",
                                        "DNS:robot,DNS:robot"};
    size_t i;

    for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct host h = host_make(&authority, "robot", days(-1, 1));

        rename_host(&h, wrong[i]);
        refuse_client(&h, "must have exactly one name");
        host_free(&h);
    }
}

static void test_revoked(void)
{
    struct host h = host_make(&authority, "robot", days(-1, 1));
    X509_CRL *crl = crl_make(&authority, h.certificate, days(-1, 1));
    struct tls_context *before = server;

    server = context_make(&authority, "strict", crl);
    refuse_client(&h, "the certificate of robot is revoked");
    refuse_server(&h, "the certificate of robot is revoked");
    tls_context_destroy(server);
    server = before;
    X509_CRL_free(crl);
    host_free(&h);
}

static void test_old_version(void)
{
    struct host h = host_make(&authority, "robot", days(-1, 1));
    struct pair p;
    SSL *ssl;

    pair_begin(&p, NULL, NULL, server);
    ssl = raw_make(&h, p.fd[0], false);
    SSL_set_max_proto_version(ssl, TLS1_2_VERSION);
    CHECK_STATUS(raw_shake(ssl, p.server), ACH_EACCES);
    CHECK_SAYS("the peer does not offer TLS 1.3");
    SSL_free(ssl);
    pair_end(&p);
    pair_begin(&p, server, "robot", NULL);
    ssl = raw_make(&h, p.fd[1], true);
    SSL_set_max_proto_version(ssl, TLS1_2_VERSION);
    CHECK_STATUS(raw_shake(ssl, p.client), ACH_EACCES);
    CHECK_SAYS("the peer does not offer TLS 1.3");
    SSL_free(ssl);
    pair_end(&p);
    host_free(&h);
}

/* Plain bytes in place of a handshake, in both directions. */
static void test_plain(void)
{
    static const char *const texts[] = {"GET / HTTP/1.0\r\n\r\n", "Player v.3.0.2 and so on\n"};
    struct pair p;
    size_t i;

    for (i = 0; i < 2; i++) {
        pair_begin(&p, server, "robot", NULL);
        REQUIRE(write(p.fd[1], texts[i], strlen(texts[i])) > 0);
        CHECK_STATUS(tls_session_handshake(p.client), ACH_CORRUPT);
        CHECK_SAYS("the peer does not use TLS");
        CHECK_STATUS(tls_session_handshake(p.client), ACH_CLOSED);
        pair_end(&p);
        pair_begin(&p, NULL, NULL, server);
        REQUIRE(write(p.fd[0], texts[i], strlen(texts[i])) > 0);
        CHECK_STATUS(tls_session_handshake(p.server), ACH_CORRUPT);
        CHECK_SAYS("the peer does not use TLS");
        pair_end(&p);
    }
}

/* A client learns that it was refused only when it reads. */
static void test_client_learns(void)
{
    struct host h = host_make(&authority, "laptop", days(-1, 1));
    X509_CRL *crl = crl_make(&authority, h.certificate, days(-1, 1));
    struct tls_context *strict = context_make(&authority, "strict", crl), *client;
    struct outcome o;
    struct pair p;
    char byte;

    REQUIRE_OK(
        tls_context_create(directory_make("laptop", authority.certificate, &h, NULL), &client));
    pair_begin(&p, client, "strict", strict);
    o = pair_shake(&p);
    CHECK_STATUS(o.client, ACH_OK);
    CHECK_STATUS(o.server, ACH_EACCES);
    CHECK(tls_session_read(p.client, &byte, 1) == -1 && errno == EPROTO);
    CHECK_SAYS("the peer refuses our certificate: it is revoked");
    pair_end(&p);
    tls_context_destroy(client);
    tls_context_destroy(strict);
    X509_CRL_free(crl);
    host_free(&h);
}

static void pair_establish(struct pair *p)
{
    struct outcome o;

    pair_begin(p, server, "ROBOT", server); /* names are compared without regard to case */
    o = pair_shake(p);
    REQUIRE_OK(o.client);
    REQUIRE_OK(o.server);
}

static void test_bytes(void)
{
    struct pair p;
    char bytes[16];

    pair_establish(&p);
    CHECK(strcmp(tls_session_peer(p.client), "robot") == 0);
    CHECK(strcmp(tls_session_peer(p.server), "robot") == 0);
    CHECK_OK(tls_session_check(p.client));
    CHECK_OK(tls_session_check(p.server));
    CHECK(pair_carry(p.client, p.server, 1 << 20));
    CHECK(pair_carry(p.server, p.client, 1 << 20));
    CHECK(tls_session_read(p.client, bytes, 1) == -1 && errno == EAGAIN);
    CHECK(tls_session_wants(p.client) == POLLIN);
    CHECK(tls_session_write(p.server, "0123456789", 10) == 10);
    CHECK(tls_session_read(p.client, bytes, 4) == 4 && tls_session_pending(p.client));
    CHECK(tls_session_read(p.client, bytes + 4, 12) == 6 && !tls_session_pending(p.client));
    CHECK(memcmp(bytes, "0123456789", 10) == 0);
    tls_session_read_ahead(p.client);
    CHECK(tls_session_write(p.server, "first", 5) == 5);
    CHECK(tls_session_write(p.server, "second", 6) == 6);
    CHECK(tls_session_read(p.client, bytes, 16) == 5 && tls_session_pending(p.client));
    CHECK(tls_session_read(p.client, bytes, 16) == 6 && !tls_session_pending(p.client));
    CHECK(memcmp(bytes, "second", 6) == 0);
    CHECK(tls_session_read(p.client, bytes, 1) == -1 && errno == EAGAIN);
    CHECK(pair_carry(p.server, p.client, 1 << 20));
    tls_session_shutdown(p.server);
    CHECK(tls_session_read(p.client, bytes, 1) == 0);
    CHECK(tls_session_read(p.client, bytes, 1) == 0);
    pair_end(&p);
}

/* The peer does not read: a write returns what it took, and then EAGAIN. */
static void test_full(void)
{
    static char bytes[1 << 16];
    size_t out = 0, in = 0;
    struct pair p;
    ssize_t n;

    pair_establish(&p);
    memset(bytes, 'a', sizeof(bytes));
    while ((n = tls_session_write(p.client, bytes, sizeof(bytes))) > 0)
        out += (size_t)n;
    CHECK(n == -1 && errno == EAGAIN && tls_session_wants(p.client) == POLLOUT);
    while ((n = tls_session_read(p.server, bytes, sizeof(bytes))) > 0)
        in += (size_t)n;
    memset(bytes, 'a', sizeof(bytes));
    n = tls_session_write(p.client, bytes, sizeof(bytes));
    CHECK(n > 0);
    while ((n = tls_session_read(p.server, bytes, sizeof(bytes))) > 0)
        in += (size_t)n;
    CHECK(in > out);
    pair_end(&p);
}

/* A connection that is cut is an error, not an end; writing to it raises no signal. */
static void test_cut(void)
{
    struct pair p;
    char byte;

    pair_establish(&p);
    CHECK(tls_session_write(p.server, "x", 1) == 1);
    shutdown(p.fd[1], SHUT_RDWR);
    CHECK(tls_session_read(p.client, &byte, 1) == 1);
    CHECK(tls_session_read(p.client, &byte, 1) == -1 && errno == ECONNRESET);
    CHECK_SAYS("the connection was cut");
    pair_end(&p);
    pair_establish(&p);
    CHECK(tls_session_write(p.server, "x", 1) == 1);
    shutdown(p.fd[1], SHUT_RDWR);
    CHECK(tls_session_write(p.client, "x", 1) == -1 && errno == ECONNRESET);
    CHECK(tls_session_write(p.client, "x", 1) == -1 && errno == EPIPE);
    CHECK(tls_session_read(p.client, &byte, 1) == 1 && byte == 'x'); /* it came before */
    CHECK(tls_session_read(p.client, &byte, 1) == -1 && errno == ECONNRESET);
    tls_session_shutdown(p.client);
    pair_end(&p);
}

/* A bit that changes on the way ends the session. */
static void test_forged(void)
{
    unsigned char bytes[256];
    struct pair p;
    ssize_t n;

    pair_establish(&p);
    CHECK(tls_session_write(p.client, "stop", 4) == 4);
    n = recv(p.fd[1], bytes, sizeof(bytes), MSG_DONTWAIT);
    REQUIRE(n > 10);
    bytes[n - 3] ^= 1;
    REQUIRE(write(p.fd[0], bytes, (size_t)n) == n);
    CHECK(tls_session_read(p.server, bytes, sizeof(bytes)) == -1 && errno == EPROTO);
    CHECK(tls_session_read(p.server, bytes, sizeof(bytes)) == -1 && errno == ENOTCONN);
    pair_end(&p);
}

/* The same record a second time, too. */
static void test_replayed(void)
{
    unsigned char bytes[256];
    struct pair p;
    ssize_t n;

    pair_establish(&p);
    CHECK(tls_session_write(p.client, "go", 2) == 2);
    n = recv(p.fd[1], bytes, sizeof(bytes), MSG_DONTWAIT);
    REQUIRE(n > 10 && write(p.fd[0], bytes, (size_t)n) == n);
    REQUIRE(write(p.fd[0], bytes, (size_t)n) == n);
    CHECK(tls_session_read(p.server, bytes, sizeof(bytes)) == 2);
    CHECK(tls_session_read(p.server, bytes, sizeof(bytes)) == -1 && errno == EPROTO);
    pair_end(&p);
}

/* The peer changes its keys in the middle. A read returns after the record that says so. */
static void test_key_update(void)
{
    struct host h = host_make(&authority, "laptop", days(-1, 1));
    char bytes[16];
    struct pair p;
    SSL *ssl;
    int i;

    pair_begin(&p, NULL, NULL, server);
    ssl = raw_make(&h, p.fd[0], false);
    CHECK_OK(raw_shake(ssl, p.server));
    for (i = 0; i < 3; i++) {
        CHECK(SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1);
        CHECK(SSL_write(ssl, "a", 1) == 1);
        CHECK(tls_session_read(p.server, bytes, sizeof(bytes)) == -1 && errno == EAGAIN);
        CHECK(tls_session_wants(p.server) == POLLIN);
        CHECK(tls_session_read(p.server, bytes, sizeof(bytes)) == 1);
        CHECK(tls_session_write(p.server, "b", 1) == 1);
        CHECK(SSL_read(ssl, bytes, sizeof(bytes)) == 1);
    }
    CHECK(SSL_session_reused(ssl) == 0);
    SSL_free(ssl);
    pair_end(&p);
    host_free(&h);
}

/* Random bytes, and handshakes with random changes, never give a session. */
static void test_garbage(void)
{
    uint64_t random = 11, n = check_scale(300);
    unsigned char bytes[2048];

    while (n--) {
        struct pair p;
        ssize_t size, i;

        pair_begin(&p, server, "robot", server);
        CHECK_STATUS(tls_session_handshake(p.client), ACH_EAGAIN);
        size = recv(p.fd[1], bytes, sizeof(bytes), MSG_DONTWAIT);
        REQUIRE(size > 0);
        for (i = 0; i < 3; i++)
            bytes[check_random(&random) % (uint64_t)size] = (unsigned char)check_random(&random);
        if (n % 3 == 0)
            for (i = 0; i < size; i++)
                bytes[i] = (unsigned char)check_random(&random);
        REQUIRE(write(p.fd[0], bytes, (size_t)size) == size);
        shutdown(p.fd[0], SHUT_WR);
        CHECK(tls_session_handshake(p.server) != ACH_OK);
        tls_session_handshake(p.client);
        CHECK(tls_session_handshake(p.server) != ACH_OK);
        pair_end(&p);
    }
}

/* A slow peer: a byte at a time never blocks, and the handshake succeeds in the end. */
static void test_slow(void)
{
    unsigned char bytes[8192];
    struct pair p, far;
    ach_status_t status = ACH_EAGAIN;
    ssize_t n, i;

    pair_begin(&far, server, "robot", NULL);
    pair_begin(&p, NULL, NULL, server);
    while (status == ACH_EAGAIN) {
        tls_session_handshake(far.client);
        n = recv(far.fd[1], bytes, sizeof(bytes), MSG_DONTWAIT);
        for (i = 0; i < n && status == ACH_EAGAIN; i++) {
            REQUIRE(write(p.fd[0], bytes + i, 1) == 1);
            status = tls_session_handshake(p.server);
        }
        n = recv(p.fd[0], bytes, sizeof(bytes), MSG_DONTWAIT);
        if (n > 0)
            REQUIRE(write(far.fd[1], bytes, (size_t)n) == n);
    }
    CHECK_OK(status);
    pair_end(&p);
    pair_end(&far);
}

static void test_arguments(void)
{
    struct tls_session *s;

    CHECK_STATUS(tls_session_create(server, TLS_CLIENT, 0, NULL, &s), ACH_EINVAL);
    CHECK_STATUS(tls_session_create(server, TLS_CLIENT, 0, "", &s), ACH_EINVAL);
    CHECK_STATUS(tls_session_create(server, TLS_CLIENT, 0, "*", &s), ACH_EINVAL);
    tls_session_destroy(NULL);
    tls_context_destroy(NULL);
}

static _Atomic bool stop_reload;

static void *reload_all_the_time(void *context)
{
    while (!stop_reload)
        CHECK_OK(tls_context_reload(context));
    return NULL;
}

/* Handshakes while another thread replaces the certificates. */
static void test_reload_under_load(void)
{
    uint64_t n = check_scale(100);
    pthread_t thread;
    struct pair p;

    REQUIRE(pthread_create(&thread, NULL, reload_all_the_time, server) == 0);
    while (n--) {
        pair_establish(&p);
        CHECK(pair_carry(p.client, p.server, 1000));
        CHECK_OK(tls_session_check(p.server));
        pair_end(&p);
    }
    stop_reload = true;
    pthread_join(thread, NULL);
}

void test_sessions(void)
{
    authority = authority_make();
    server = context_make(&authority, "robot", NULL);
    test_arguments();
    test_bytes();
    test_full();
    test_cut();
    test_forged();
    test_replayed();
    test_key_update();
    test_validity();
    test_other_authority();
    test_wrong_name();
    test_names();
    test_revoked();
    test_old_version();
    test_plain();
    test_client_learns();
    test_garbage();
    test_slow();
    test_reload_under_load();
    tls_context_destroy(server);
    authority_free(&authority);
}
