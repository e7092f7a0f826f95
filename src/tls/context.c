/* SPDX-License-Identifier: BSD-3-Clause */
#include "context.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "certificate.h"
#include "error.h"
#include "pem.h"
#include "verify.h"

/* Limit of the bytes of certificates that a peer may send in a handshake. */
#define CHAIN_MAX 16384

struct tls_context {
    char *directory;
    pthread_mutex_t lock; /* guards the rest */
    SSL_CTX *ssl;
    struct tls_info info;
};

/* What the directory holds. */
struct key_set {
    STACK_OF(X509) * authorities;
    STACK_OF(X509_CRL) * crls; /* NULL: there is no crl.pem */
    X509 *host;
    EVP_PKEY *key;
};

static void key_set_finish(struct key_set *set)
{
    sk_X509_pop_free(set->authorities, X509_free);
    sk_X509_CRL_pop_free(set->crls, X509_CRL_free);
    X509_free(set->host);
    EVP_PKEY_free(set->key);
}

static ach_status_t key_set_read(const struct tls_directory *from, struct key_set *set)
{
    ach_status_t status = tls_pem_certificates(from, "ca.pem", &set->authorities);

    if (status == ACH_OK)
        status = tls_pem_certificate(from, "host.pem", &set->host);
    if (status == ACH_OK)
        status = tls_pem_key(from, "host.key", &set->key);
    if (status == ACH_OK) {
        status = tls_pem_crls(from, "crl.pem", &set->crls);
        if (status == ACH_ENOENT)
            status = ACH_OK;
    }
    return status;
}

static ach_status_t key_set_missing(const char *directory)
{
    char what[PATH_MAX + 32];
    int error = errno;

    snprintf(what, sizeof(what), "the directory of keys %s", directory);
    errno = error;
    return tls_error_errno(what);
}

static ach_status_t key_set_open(const char *directory, struct key_set *set)
{
    struct tls_directory from = {open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory};
    ach_status_t status;

    if (from.fd < 0)
        return key_set_missing(directory);
    status = key_set_read(&from, set);
    if (status == ACH_ENOENT && faccessat(from.fd, "ca/ca.pem", F_OK, 0) == 0)
        ach_errstr_set(status,
                       "'%s' has the keys of an authority: give the directory of a host, "
                       "as '%s/hosts/NAME'",
                       directory, directory);
    close(from.fd);
    return status;
}

static bool store_fill(X509_STORE *store, const struct key_set *set)
{
    bool good = true;
    int i;

    for (i = 0; good && i < sk_X509_num(set->authorities); i++)
        good = X509_STORE_add_cert(store, sk_X509_value(set->authorities, i));
    for (i = 0; good && i < sk_X509_CRL_num(set->crls); i++)
        good = X509_STORE_add_crl(store, sk_X509_CRL_value(set->crls, i));
    return good &&
           X509_STORE_set_flags(store, X509_V_FLAG_X509_STRICT |
                                           (set->crls ? (unsigned long)X509_V_FLAG_CRL_CHECK : 0));
}

/*
 * Tickets and early data stay off: they would let a session outlive the check of its certificates,
 * and early data can be replayed. A read returns after each record, also after one without data:
 * otherwise a peer that sends only key updates would keep the caller in one read.
 */
static bool context_configure(SSL_CTX *ssl)
{
    SSL_CTX_clear_mode(ssl, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_options(ssl, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_cert_list(ssl, CHAIN_MAX);
    return SSL_CTX_set_min_proto_version(ssl, TLS1_3_VERSION) && SSL_CTX_set_num_tickets(ssl, 0);
}

static ach_status_t context_fill(SSL_CTX *ssl, const char *directory, const struct key_set *set)
{
    X509_STORE *store = SSL_CTX_get_cert_store(ssl);
    char whose[512], name[TLS_NAME_MAX];
    ach_status_t status;

    snprintf(whose, sizeof(whose), "%s/host.pem: the", directory);
    if (!tls_certificate_name(set->host, name))
        return tls_verify_explain(whose, "", X509_V_ERR_APPLICATION_VERIFICATION);
    if (X509_check_private_key(set->host, set->key) != 1) {
        ERR_clear_error();
        return ach_errstr_set(ACH_EINVAL, "%s/host.key is not the key of host.pem", directory);
    }
    if (!store_fill(store, set) || !context_configure(ssl) ||
        SSL_CTX_use_certificate(ssl, set->host) != 1 || SSL_CTX_use_PrivateKey(ssl, set->key) != 1)
        return tls_error(ACH_EINVAL, directory);
    status = tls_verify(store, set->host, TLS_SERVER, whose);
    return status == ACH_OK ? tls_verify(store, set->host, TLS_CLIENT, whose) : status;
}

static void info_fill(const struct key_set *set, struct tls_info *info)
{
    int i;

    memset(info, 0, sizeof(*info));
    tls_certificate_name(set->host, info->name);
    tls_certificate_serial(set->host, info->serial);
    info->from = tls_certificate_time(X509_get0_notBefore(set->host));
    info->until = tls_certificate_time(X509_get0_notAfter(set->host));
    info->authority_until =
        tls_certificate_time(X509_get0_notAfter(sk_X509_value(set->authorities, 0)));
    info->revocation = set->crls;
    if (set->crls)
        info->crl_until =
            tls_certificate_time(X509_CRL_get0_nextUpdate(sk_X509_CRL_value(set->crls, 0)));
    for (i = 0; i < sk_X509_CRL_num(set->crls); i++) {
        int n = sk_X509_REVOKED_num(X509_CRL_get_REVOKED(sk_X509_CRL_value(set->crls, i)));

        info->revoked += n > 0 ? n : 0;
    }
}

static ach_status_t context_read(const char *directory, SSL_CTX **made, struct tls_info *info)
{
    struct key_set set = {0};
    ach_status_t status = key_set_open(directory, &set);
    SSL_CTX *ssl = NULL;

    if (status == ACH_OK) {
        ssl = SSL_CTX_new(TLS_method());
        status = ssl ? context_fill(ssl, directory, &set) : tls_error(ACH_FAILED_SYSCALL, "TLS");
    }
    if (status == ACH_OK) {
        info_fill(&set, info);
        *made = ssl;
    } else {
        SSL_CTX_free(ssl);
    }
    key_set_finish(&set);
    return status;
}

ach_status_t tls_context_create(const char *directory, struct tls_context **context)
{
    struct tls_context *c = calloc(1, sizeof(*c));
    ach_status_t status;

    if (!c || !(c->directory = strdup(directory))) {
        free(c);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for keys");
    }
    status = context_read(directory, &c->ssl, &c->info);
    if (status != ACH_OK) {
        free(c->directory);
        free(c);
        return status;
    }
    pthread_mutex_init(&c->lock, NULL);
    *context = c;
    return ACH_OK;
}

ach_status_t tls_context_reload(struct tls_context *c)
{
    struct tls_info info;
    SSL_CTX *ssl, *old;
    ach_status_t status = context_read(c->directory, &ssl, &info);

    if (status != ACH_OK)
        return status;
    pthread_mutex_lock(&c->lock);
    if (c->info.revocation && !info.revocation) {
        old = ssl;
        status = ach_errstr_set(ACH_ENOENT,
                                "%s/crl.pem has disappeared: revoked certificates "
                                "would be accepted again",
                                c->directory);
    } else {
        old = c->ssl;
        c->ssl = ssl;
        c->info = info;
    }
    pthread_mutex_unlock(&c->lock);
    SSL_CTX_free(old);
    return status;
}

void tls_context_info(struct tls_context *c, struct tls_info *info)
{
    pthread_mutex_lock(&c->lock);
    *info = c->info;
    pthread_mutex_unlock(&c->lock);
}

SSL_CTX *tls_context_current(struct tls_context *c)
{
    SSL_CTX *ssl;

    pthread_mutex_lock(&c->lock);
    ssl = c->ssl;
    SSL_CTX_up_ref(ssl);
    pthread_mutex_unlock(&c->lock);
    return ssl;
}

void tls_context_destroy(struct tls_context *c)
{
    if (!c)
        return;
    SSL_CTX_free(c->ssl);
    pthread_mutex_destroy(&c->lock);
    free(c->directory);
    free(c);
}
