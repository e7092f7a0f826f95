/* SPDX-License-Identifier: BSD-3-Clause */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

static ach_status_t store_fail(const struct tls_directory *in, const char *name)
{
    char what[512];

    snprintf(what, sizeof(what), "%s/%s", in->where, name);
    return tls_error_errno(what);
}

ach_status_t tls_store_make(const char *path)
{
    char *copy = strdup(path), *slash = copy;
    ach_status_t status = ACH_OK;

    if (!copy)
        return tls_error_errno(path);
    while (status == ACH_OK && slash) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(copy, 0700) != 0 && errno != EEXIST)
            status = tls_error_errno(copy);
        if (slash)
            *slash = '/';
    }
    free(copy);
    return status;
}

ach_status_t tls_store_open(const struct tls_directory *in, const char *name, const char *where,
                            struct tls_directory *opened)
{
    opened->where = where;
    opened->fd = openat(in ? in->fd : AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return opened->fd >= 0 ? ACH_OK : tls_error_errno(where);
}

void tls_store_close(struct tls_directory *opened)
{
    if (opened->fd >= 0)
        close(opened->fd);
    opened->fd = -1;
}

static void store_random_name(char name[TLS_STORE_DRAFT])
{
    uint64_t number = 0;

    RAND_bytes((unsigned char *)&number, sizeof(number));
    snprintf(name, TLS_STORE_DRAFT, ".new-%016llx", (unsigned long long)number);
}

static bool store_write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return fsync(fd) == 0;
}

static ach_status_t store_write(const struct tls_directory *to, const char *name, const char *bytes,
                                size_t size)
{
    char draft[TLS_STORE_DRAFT];
    ach_status_t status = ACH_OK;
    int fd;

    store_random_name(draft);
    fd = openat(to->fd, draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return store_fail(to, name);
    if (!store_write_all(fd, bytes, size) || renameat(to->fd, draft, to->fd, name) != 0 ||
        fsync(to->fd) != 0) {
        status = store_fail(to, name);
        unlinkat(to->fd, draft, 0);
    }
    close(fd);
    return status;
}

/* Write what a BIO in memory holds, unless it could not be @filled, and release the BIO. */
static ach_status_t store_write_bio(const struct tls_directory *to, const char *name, BIO *bio,
                                    bool filled)
{
    char *bytes = NULL;
    long size = bio ? BIO_get_mem_data(bio, &bytes) : 0;
    ach_status_t status =
        filled ? store_write(to, name, bytes, (size_t)size) : tls_error(ACH_FAILED_SYSCALL, name);

    if (bytes)
        OPENSSL_cleanse(bytes, (size_t)size);
    BIO_free(bio);
    return status;
}

ach_status_t tls_store_certificate(const struct tls_directory *to, const char *name, X509 *x)
{
    BIO *bio = BIO_new(BIO_s_mem());

    return store_write_bio(to, name, bio, bio && PEM_write_bio_X509(bio, x));
}

ach_status_t tls_store_crl(const struct tls_directory *to, const char *name, X509_CRL *crl)
{
    BIO *bio = BIO_new(BIO_s_mem());

    return store_write_bio(to, name, bio, bio && PEM_write_bio_X509_CRL(bio, crl));
}

ach_status_t tls_store_key(const struct tls_directory *to, const char *name, EVP_PKEY *key)
{
    BIO *bio = BIO_new(BIO_s_mem());

    return store_write_bio(to, name, bio,
                           bio && PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL));
}

ach_status_t tls_store_draft(const struct tls_directory *in, char draft[TLS_STORE_DRAFT],
                             struct tls_directory *opened)
{
    store_random_name(draft);
    if (mkdirat(in->fd, draft, 0700) != 0)
        return store_fail(in, draft);
    return tls_store_open(in, draft, in->where, opened);
}

ach_status_t tls_store_publish(const struct tls_directory *in, const char *draft, const char *name,
                               bool replace)
{
    if (renameat2(in->fd, draft, in->fd, name, RENAME_NOREPLACE) != 0) {
        if (errno != EEXIST || !replace)
            return store_fail(in, name);
        if (renameat2(in->fd, draft, in->fd, name, RENAME_EXCHANGE) != 0)
            return store_fail(in, name);
        tls_store_discard(in, draft); /* the older one */
    }
    return fsync(in->fd) == 0 ? ACH_OK : store_fail(in, name);
}

/* A directory of keys has no subdirectories. */
void tls_store_discard(const struct tls_directory *in, const char *draft)
{
    int fd = openat(in->fd, draft, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    while (d && (entry = readdir(d)))
        unlinkat(fd, entry->d_name, 0);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    unlinkat(in->fd, draft, AT_REMOVEDIR);
}
