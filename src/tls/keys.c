/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keys.c - an authority and the keys that it makes for hosts
 *
 *     ca/ca.key       the key of the authority; no host gets it
 *     ca/ca.pem       its certificate
 *     ca/crl.pem      what it has revoked
 *     ca/SERIAL.pem   each certificate that it has issued
 *     hosts/NAME/     the directory of keys of a host
 *     lock            held while something changes
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../util/filelock.h"
#include "certificate.h"
#include "error.h"
#include "pem.h"
#include "store.h"

#define DAY 86400

/* The clock of a host may be slow. */
#define CLOCK_TOLERANCE 3600

/* An authority that is open for changes or for reading. */
struct keys {
    const char *directory;
    struct tls_directory top, ca, hosts;
    int lock;
    struct tls_authority authority; /* without the key if it is open for reading */
    X509_CRL *crl;
};

static void keys_close(struct keys *k)
{
    X509_free(k->authority.certificate);
    EVP_PKEY_free(k->authority.key);
    X509_CRL_free(k->crl);
    tls_store_close(&k->hosts);
    tls_store_close(&k->ca);
    tls_store_close(&k->top);
    if (k->lock >= 0)
        close(k->lock);
}

static ach_status_t keys_lock(struct keys *k)
{
    k->lock = openat(k->top.fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (k->lock < 0)
        return tls_error_errno(k->directory);
    if (filelock_take(k->lock) != FILELOCK_TAKEN)
        return ach_errstr_set(ACH_EAGAIN, "%s is in use by another ach keys", k->directory);
    return ACH_OK;
}

static struct keys keys_of(const char *directory)
{
    return (struct keys){
        .directory = directory, .top.fd = -1, .ca.fd = -1, .hosts.fd = -1, .lock = -1};
}

static ach_status_t keys_read_crl(struct keys *k)
{
    STACK_OF(X509_CRL) * crls;
    ach_status_t status = tls_pem_crls(&k->ca, "crl.pem", &crls);

    if (status != ACH_OK)
        return status;
    k->crl = sk_X509_CRL_pop(crls);
    sk_X509_CRL_pop_free(crls, X509_CRL_free);
    return ACH_OK;
}

static ach_status_t keys_open_directories(struct keys *k)
{
    ach_status_t status = tls_store_open(NULL, k->directory, k->directory, &k->top);

    if (status == ACH_OK)
        status = tls_store_open(&k->top, "ca", k->directory, &k->ca);
    if (status == ACH_ENOENT)
        return ach_errstr_set(status, "%s has no authority: make one with 'ach keys init'",
                              k->directory);
    if (status == ACH_OK)
        status = tls_store_open(&k->top, "hosts", k->directory, &k->hosts);
    return status;
}

static ach_status_t keys_open(struct keys *k, bool write)
{
    ach_status_t status = keys_open_directories(k);

    if (status == ACH_OK && write)
        status = keys_lock(k);
    if (status == ACH_OK)
        status = tls_pem_certificate(&k->ca, "ca.pem", &k->authority.certificate);
    if (status == ACH_OK && write)
        status = tls_pem_key(&k->ca, "ca.key", &k->authority.key);
    return status == ACH_OK ? keys_read_crl(k) : status;
}

static struct tls_validity keys_validity(unsigned days)
{
    time_t now = time(NULL);

    return (struct tls_validity){now - CLOCK_TOLERANCE, now + (time_t)days * DAY};
}

static ach_status_t keys_no_openssl(void)
{
    return tls_error(ACH_FAILED_SYSCALL, "cannot make a certificate");
}

/* A list is valid as long as its authority: users copy it to hosts by hand. */
static X509_CRL *keys_make_crl(const struct tls_authority *by, X509_CRL *old, STACK_OF(X509) * more)
{
    struct tls_validity valid = {time(NULL) - CLOCK_TOLERANCE, 0};

    valid.until = tls_certificate_time(X509_get0_notAfter(by->certificate));
    return tls_certificate_crl(by, old, more, valid);
}

static ach_status_t keys_write_authority(const struct tls_directory *to,
                                         const struct tls_authority *a, X509_CRL *crl)
{
    ach_status_t status = tls_store_certificate(to, "ca.pem", a->certificate);

    if (status == ACH_OK)
        status = tls_store_key(to, "ca.key", a->key);
    return status == ACH_OK ? tls_store_crl(to, "crl.pem", crl) : status;
}

static ach_status_t keys_fill_authority(const struct tls_directory *to, const char *name,
                                        unsigned days)
{
    struct tls_authority a = {.key = tls_certificate_key()};
    X509_CRL *crl = NULL;
    ach_status_t status;

    if (a.key)
        a.certificate = tls_certificate_make(name, a.key, keys_validity(days), NULL);
    if (a.certificate)
        crl = keys_make_crl(&a, NULL, NULL);
    status = crl ? keys_write_authority(to, &a, crl) : keys_no_openssl();
    X509_CRL_free(crl);
    X509_free(a.certificate);
    EVP_PKEY_free(a.key);
    return status;
}

static ach_status_t keys_publish_authority(struct keys *k, const char *name, unsigned days,
                                           bool force)
{
    char draft[TLS_STORE_DRAFT];
    ach_status_t status = tls_store_draft(&k->top, draft, &k->ca);

    if (status == ACH_OK)
        status = keys_fill_authority(&k->ca, name, days);
    if (status == ACH_OK)
        status = tls_store_publish(&k->top, draft, "ca", force);
    if (status != ACH_OK)
        tls_store_discard(&k->top, draft);
    if (status == ACH_EEXIST)
        ach_errstr_set(status, "%s has an authority already; with --force all hosts need new keys",
                       k->directory);
    return status;
}

static ach_status_t keys_check_name(const char *name)
{
    if (tls_name_valid(name))
        return ACH_OK;
    return ach_errstr_set(ACH_EINVAL,
                          "'%s' cannot be a name: expected at most 64 letters, digits, '-', '_' "
                          "or '.', and a letter or digit first",
                          name);
}

ach_status_t tls_keys_init(const char *directory, const char *name, unsigned days, bool force)
{
    struct keys k = keys_of(directory);
    char hosts[4096];
    ach_status_t status = keys_check_name(name);

    if (status != ACH_OK)
        return status;
    if ((size_t)snprintf(hosts, sizeof(hosts), "%s/hosts", directory) >= sizeof(hosts))
        return ach_errstr_set(ACH_EINVAL, "the name of the directory is too long");
    status = tls_store_make(hosts);
    if (status == ACH_OK)
        status = tls_store_open(NULL, directory, directory, &k.top);
    if (status == ACH_OK)
        status = keys_lock(&k);
    if (status == ACH_OK)
        status = keys_publish_authority(&k, name, days, force);
    keys_close(&k);
    return status;
}

static ach_status_t keys_write_host(struct keys *k, const struct tls_directory *to, X509 *x,
                                    EVP_PKEY *key)
{
    char file[TLS_SERIAL_MAX + 4];
    ach_status_t status = tls_store_certificate(to, "ca.pem", k->authority.certificate);

    tls_certificate_serial(x, file);
    strcat(file, ".pem");
    if (status == ACH_OK)
        status = tls_store_crl(to, "crl.pem", k->crl);
    if (status == ACH_OK)
        status = tls_store_certificate(to, "host.pem", x);
    if (status == ACH_OK)
        status = tls_store_key(to, "host.key", key);
    /* Before anybody can use it, so that everything that can be used can be revoked. */
    return status == ACH_OK ? tls_store_certificate(&k->ca, file, x) : status;
}

/* Not longer than the authority itself is valid. */
static struct tls_validity keys_host_validity(const struct keys *k, unsigned days)
{
    struct tls_validity valid = keys_validity(days);
    time_t end = tls_certificate_time(X509_get0_notAfter(k->authority.certificate));

    if (valid.until > end)
        valid.until = end;
    return valid;
}

static ach_status_t keys_fill_host(struct keys *k, const struct tls_directory *to, const char *name,
                                   unsigned days)
{
    EVP_PKEY *key = tls_certificate_key();
    X509 *x =
        key ? tls_certificate_make(name, key, keys_host_validity(k, days), &k->authority) : NULL;
    ach_status_t status = x ? keys_write_host(k, to, x, key) : keys_no_openssl();

    X509_free(x);
    EVP_PKEY_free(key);
    return status;
}

static ach_status_t keys_publish_host(struct keys *k, const char *name, unsigned days,
                                      enum tls_issue how)
{
    struct tls_directory to = {.fd = -1};
    char draft[TLS_STORE_DRAFT];
    ach_status_t status = tls_store_draft(&k->hosts, draft, &to);

    if (status == ACH_OK)
        status = keys_fill_host(k, &to, name, days);
    if (status == ACH_OK)
        status = tls_store_publish(&k->hosts, draft, name, how != TLS_ISSUE_NEW);
    if (status != ACH_OK)
        tls_store_discard(&k->hosts, draft);
    tls_store_close(&to);
    return status;
}

static ach_status_t keys_fail(const struct keys *k)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot read %s: %s", k->directory, strerror(errno));
}

static DIR *keys_entries(const struct tls_directory *of)
{
    int fd = openat(of->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

    if (!d && fd >= 0)
        close(fd);
    return d;
}

/* There is no host of this name. Peers ignore case, so it must not exist in another case either. */
static ach_status_t keys_check_case(const struct keys *k, const char *name)
{
    DIR *d = keys_entries(&k->hosts);
    ach_status_t status = ACH_OK;
    struct dirent *entry;

    if (!d)
        return keys_fail(k);
    while (status == ACH_OK && (entry = readdir(d)))
        if (strcasecmp(entry->d_name, name) == 0)
            status =
                ach_errstr_set(ACH_EEXIST,
                               "%s/hosts/%s exists, and names that differ only in case are the "
                               "same: use that name",
                               k->directory, entry->d_name);
    closedir(d);
    return status;
}

/* Whether the directory of a host is as the caller expects. */
static ach_status_t keys_check_host(const struct keys *k, const char *name, enum tls_issue how)
{
    bool there = faccessat(k->hosts.fd, name, F_OK, 0) == 0;

    if (there && how == TLS_ISSUE_NEW)
        return ach_errstr_set(ACH_EEXIST,
                              "%s/hosts/%s exists: 'ach keys renew' replaces its keys, and so "
                              "does --force",
                              k->directory, name);
    if (!there && how == TLS_ISSUE_RENEW)
        return ach_errstr_set(ACH_ENOENT, "%s has no host %s: 'ach keys ls' lists all",
                              k->directory, name);
    return there ? ACH_OK : keys_check_case(k, name);
}

ach_status_t tls_keys_issue(const char *directory, const char *name, unsigned days,
                            enum tls_issue how)
{
    struct keys k = keys_of(directory);
    ach_status_t status = keys_check_name(name);

    if (status == ACH_OK)
        status = keys_open(&k, true);
    if (status == ACH_OK)
        status = keys_check_host(&k, name, how);
    if (status == ACH_OK)
        status = keys_publish_host(&k, name, days, how);
    keys_close(&k);
    return status;
}

static bool keys_is_serial_file(const char *name)
{
    size_t n = strspn(name, "0123456789ABCDEF");

    return n && strcmp(name + n, ".pem") == 0;
}

static int keys_compare(const X509 *const *a, const X509 *const *b)
{
    char one[TLS_NAME_MAX], other[TLS_NAME_MAX];
    time_t first = tls_certificate_time(X509_get0_notAfter(*a));
    time_t second = tls_certificate_time(X509_get0_notAfter(*b));
    int order;

    tls_certificate_name(*a, one);
    tls_certificate_name(*b, other);
    order = strcasecmp(one, other);
    return order ? order : (first > second) - (first < second);
}

static ach_status_t keys_read_all(struct keys *k, DIR *d, STACK_OF(X509) * all)
{
    ach_status_t status = ACH_OK;
    struct dirent *entry;
    X509 *x;

    while (status == ACH_OK && (entry = readdir(d))) {
        if (!keys_is_serial_file(entry->d_name))
            continue;
        status = tls_pem_certificate(&k->ca, entry->d_name, &x);
        if (status == ACH_OK && !sk_X509_push(all, x)) {
            X509_free(x);
            status = ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for certificates");
        }
    }
    return status;
}

/* All certificates that the authority has issued. */
static ach_status_t keys_issued(struct keys *k, STACK_OF(X509) * *found)
{
    STACK_OF(X509) *all = sk_X509_new(keys_compare);
    DIR *d = keys_entries(&k->ca);
    ach_status_t status = d && all ? keys_read_all(k, d, all) : keys_fail(k);

    if (d)
        closedir(d);
    if (status != ACH_OK) {
        sk_X509_pop_free(all, X509_free);
        return status;
    }
    sk_X509_sort(all);
    *found = all;
    return ACH_OK;
}

static bool keys_is_revoked(const struct keys *k, X509 *x)
{
    X509_REVOKED *entry;

    return X509_CRL_get0_by_cert(k->crl, &entry, x) == 1;
}

/* Those of a host that are not revoked. */
static ach_status_t keys_to_revoke(struct keys *k, const char *name, STACK_OF(X509) * *found)
{
    STACK_OF(X509) * all;
    ach_status_t status = keys_issued(k, &all);
    char other[TLS_NAME_MAX];
    int i;

    if (status != ACH_OK)
        return status;
    for (i = sk_X509_num(all) - 1; i >= 0; i--) {
        X509 *x = sk_X509_value(all, i);

        tls_certificate_name(x, other);
        if (strcasecmp(name, other) != 0 || keys_is_revoked(k, x))
            X509_free(sk_X509_delete(all, i));
    }
    *found = all;
    if (sk_X509_num(all) > 0)
        return ACH_OK;
    sk_X509_free(all);
    return ach_errstr_set(ACH_ENOENT,
                          "%s has no certificate of %s that is not revoked: 'ach keys ls' lists "
                          "all",
                          k->directory, name);
}

static ach_status_t keys_give_crl(struct keys *k, const char *name, tls_host_fun *fun, void *cx)
{
    struct tls_directory host;
    ach_status_t status = tls_store_open(&k->hosts, name, k->hosts.where, &host);

    if (status != ACH_OK)
        return status;
    status = tls_store_crl(&host, "crl.pem", k->crl);
    tls_store_close(&host);
    if (status == ACH_OK)
        fun(cx, name);
    return status;
}

static ach_status_t keys_give_crls(struct keys *k, tls_host_fun *fun, void *cx)
{
    DIR *d = keys_entries(&k->hosts);
    ach_status_t status = ACH_OK;
    struct dirent *entry;

    if (!d)
        return keys_fail(k);
    while (status == ACH_OK && (entry = readdir(d)))
        if (tls_name_valid(entry->d_name))
            status = keys_give_crl(k, entry->d_name, fun, cx);
    closedir(d);
    return status;
}

ach_status_t tls_keys_revoke(const char *directory, const char *name, tls_host_fun *fun, void *cx)
{
    struct keys k = keys_of(directory);
    STACK_OF(X509) *these = NULL;
    ach_status_t status = keys_open(&k, true);
    X509_CRL *crl = NULL;

    if (status == ACH_OK)
        status = keys_to_revoke(&k, name, &these);
    if (status == ACH_OK) {
        crl = keys_make_crl(&k.authority, k.crl, these);
        status = crl ? tls_store_crl(&k.ca, "crl.pem", crl) : keys_no_openssl();
        sk_X509_pop_free(these, X509_free);
    }
    if (status == ACH_OK) {
        X509_CRL_free(k.crl);
        k.crl = crl;
        status = keys_give_crls(&k, fun, cx);
    } else {
        X509_CRL_free(crl);
    }
    keys_close(&k);
    return status;
}

static void keys_tell(const struct keys *k, X509 *x, tls_issued_fun *fun, void *cx)
{
    char name[TLS_NAME_MAX], serial[TLS_SERIAL_MAX];
    struct tls_issued issued = {.name = name,
                                .serial = serial,
                                .until = tls_certificate_time(X509_get0_notAfter(x)),
                                .revoked = keys_is_revoked(k, x)};

    tls_certificate_name(x, name);
    tls_certificate_serial(x, serial);
    fun(cx, &issued);
}

ach_status_t tls_keys_list(const char *directory, tls_issued_fun *fun, void *cx)
{
    struct keys k = keys_of(directory);
    ach_status_t status = keys_open(&k, false);
    STACK_OF(X509) * all;
    int i;

    if (status == ACH_OK)
        status = keys_issued(&k, &all);
    if (status == ACH_OK) {
        for (i = 0; i < sk_X509_num(all); i++)
            keys_tell(&k, sk_X509_value(all, i), fun, cx);
        sk_X509_pop_free(all, X509_free);
    }
    keys_close(&k);
    return status;
}
