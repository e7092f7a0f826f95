/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <ftw.h>
#include <sys/socket.h>
#include <sys/stat.h>

static char directory[256];
static pid_t owner;

static int remove_one(const char *path, const struct stat *file, int kind, struct FTW *at)
{
    (void)file;
    (void)kind;
    (void)at;
    return remove(path);
}

static void fixture_end(void)
{
    if (getpid() == owner)
        nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void fixture_begin(void)
{
    const char *in = getenv("ACH_DIR"); /* tests/support/run removes it */

    snprintf(directory, sizeof(directory), "%s/tls-XXXXXX", in ? in : "/tmp");
    REQUIRE(mkdtemp(directory));
    owner = getpid();
    atexit(fixture_end);
}

const char *fixture_path(const char *format, ...)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    va_list args;
    int n = snprintf(path, sizeof(paths[0]), "%s/", directory);

    va_start(args, format);
    vsnprintf(path + n, sizeof(paths[0]) - (size_t)n, format, args);
    va_end(args);
    return path;
}

void fixture_write(const char *path, const void *bytes, size_t size, mode_t mode)
{
    int fd;

    unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && fchmod(fd, mode) == 0);
    close(fd);
}

size_t fixture_read(const char *path, char *to, size_t room)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, to, room);

    REQUIRE(fd >= 0 && n >= 0 && (size_t)n < room);
    close(fd);
    return (size_t)n;
}

struct tls_validity days(int from, int until)
{
    time_t now = time(NULL);

    return (struct tls_validity){now + (time_t)from * DAY, now + (time_t)until * DAY};
}

struct tls_authority authority_make(void)
{
    struct tls_authority a = {.key = tls_certificate_key()};

    REQUIRE(a.key);
    a.certificate = tls_certificate_make("authority", a.key, days(-100, 100), NULL);
    REQUIRE(a.certificate);
    return a;
}

void authority_free(struct tls_authority *a)
{
    X509_free(a->certificate);
    EVP_PKEY_free(a->key);
}

struct host host_make(const struct tls_authority *a, const char *name, struct tls_validity valid)
{
    struct host h = {.key = tls_certificate_key()};

    REQUIRE(h.key);
    h.certificate = tls_certificate_make(name, h.key, valid, a);
    REQUIRE(h.certificate);
    return h;
}

void host_free(struct host *h)
{
    X509_free(h->certificate);
    EVP_PKEY_free(h->key);
}

X509_CRL *crl_make(const struct tls_authority *a, X509 *revoked, struct tls_validity valid)
{
    STACK_OF(X509) *these = sk_X509_new_null();
    X509_CRL *crl;

    REQUIRE(these && (!revoked || sk_X509_push(these, revoked)));
    crl = tls_certificate_crl(a, NULL, these, valid);
    REQUIRE(crl);
    sk_X509_free(these);
    return crl;
}

const char *directory_make(const char *name, X509 *ca, const struct host *h, X509_CRL *crl)
{
    const char *path = fixture_path("%s", name);
    struct tls_directory to;

    REQUIRE_OK(tls_store_make(path));
    REQUIRE_OK(tls_store_open(NULL, path, path, &to));
    REQUIRE_OK(tls_store_certificate(&to, "ca.pem", ca));
    REQUIRE_OK(tls_store_certificate(&to, "host.pem", h->certificate));
    REQUIRE_OK(tls_store_key(&to, "host.key", h->key));
    if (crl)
        REQUIRE_OK(tls_store_crl(&to, "crl.pem", crl));
    else
        unlinkat(to.fd, "crl.pem", 0);
    tls_store_close(&to);
    return path;
}

struct tls_context *context_make(const struct tls_authority *a, const char *name, X509_CRL *crl)
{
    struct host h = host_make(a, name, days(-1, 1));
    struct tls_context *context;

    REQUIRE_OK(tls_context_create(directory_make(name, a->certificate, &h, crl), &context));
    host_free(&h);
    return context;
}

void check_says(const char *words, const char *file, int line)
{
    if (strstr(ach_errstr(), words))
        return;
    fprintf(stderr, "%s:%d: '%s' is not in '%s'\n", file, line, words, ach_errstr());
    check_failures++;
}

void pair_begin(struct pair *p, struct tls_context *client, const char *peer,
                struct tls_context *server)
{
    memset(p, 0, sizeof(*p));
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->fd) == 0);
    if (client)
        REQUIRE_OK(tls_session_create(client, TLS_CLIENT, p->fd[0], peer, &p->client));
    if (server)
        REQUIRE_OK(tls_session_create(server, TLS_SERVER, p->fd[1], NULL, &p->server));
}

void pair_end(struct pair *p)
{
    tls_session_destroy(p->client);
    tls_session_destroy(p->server);
    close(p->fd[0]);
    close(p->fd[1]);
}

/* A side that fails closes, as a program would. */
static ach_status_t shake_one(struct tls_session *s, int fd, char why[512])
{
    ach_status_t status = tls_session_handshake(s);

    if (status != ACH_OK && status != ACH_EAGAIN) {
        snprintf(why, 512, "%s", ach_errstr());
        shutdown(fd, SHUT_RDWR);
    }
    return status;
}

struct outcome pair_shake(struct pair *p)
{
    struct outcome o = {.client = ACH_EAGAIN, .server = ACH_EAGAIN};
    int rounds;

    for (rounds = 0; rounds < 100; rounds++) {
        if (o.client == ACH_EAGAIN)
            o.client = shake_one(p->client, p->fd[0], o.client_why);
        if (o.server == ACH_EAGAIN)
            o.server = shake_one(p->server, p->fd[1], o.server_why);
    }
    return o;
}

bool pair_carry(struct tls_session *from, struct tls_session *to, size_t size)
{
    static unsigned char sent[1 << 20], got[1 << 20];
    uint64_t random = 7;
    size_t in = 0, out = 0;

    REQUIRE(size <= sizeof(sent));
    for (in = 0; in < size; in++)
        sent[in] = (unsigned char)check_random(&random);
    for (in = 0; in < size;) {
        ssize_t n = out < size ? tls_session_write(from, sent + out, size - out) : 0;

        if (n < 0 && errno != EAGAIN)
            return false;
        out += n > 0 ? (size_t)n : 0;
        n = tls_session_read(to, got + in, size - in);
        if (n == 0 || (n < 0 && errno != EAGAIN))
            return false;
        in += n > 0 ? (size_t)n : 0;
    }
    return memcmp(sent, got, size) == 0;
}
