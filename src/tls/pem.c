/* SPDX-License-Identifier: BSD-3-Clause */
#include "pem.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

struct pem_text {
    char *bytes;
    size_t size;
};

static ach_status_t pem_fail(const struct tls_directory *from, const char *name, const char *why)
{
    return ach_errstr_set(ACH_EINVAL, "%s/%s: %s", from->where, name, why);
}

static ach_status_t pem_fail_errno(const struct tls_directory *from, const char *name)
{
    char what[512];

    snprintf(what, sizeof(what), "%s/%s", from->where, name);
    return tls_error_errno(what);
}

static ach_status_t pem_check_file(const struct tls_directory *from, const char *name,
                                   const struct stat *file)
{
    if (!S_ISREG(file->st_mode))
        return pem_fail(from, name, "expected a regular file");
    if (file->st_size > TLS_FILE_MAX)
        return pem_fail(from, name, "the file is larger than 4 MiB");
    return ACH_OK;
}

static ach_status_t pem_check_secret(const struct tls_directory *from, const char *name,
                                     const struct stat *file)
{
    if (file->st_uid != geteuid() && file->st_uid != 0)
        return ach_errstr_set(ACH_EACCES, "%s/%s belongs to the user %u, who can replace the key",
                              from->where, name, (unsigned)file->st_uid);
    if (file->st_mode & 077)
        return ach_errstr_set(ACH_EACCES,
                              "%s/%s has mode %04o, so other users may use the key: run chmod 600",
                              from->where, name, (unsigned)file->st_mode & 07777);
    return ACH_OK;
}

static bool pem_fill(int fd, struct pem_text *text)
{
    size_t n = 0;

    while (n < text->size) {
        ssize_t got = read(fd, text->bytes + n, text->size - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        n += (size_t)got;
    }
    text->size = n;
    return true;
}

static ach_status_t pem_check(const struct tls_directory *from, const char *name, bool secret,
                              int fd, size_t *size)
{
    struct stat file = {0};
    ach_status_t status;

    if (fstat(fd, &file) != 0)
        return pem_fail_errno(from, name);
    *size = (size_t)file.st_size;
    status = pem_check_file(from, name, &file);
    return status == ACH_OK && secret ? pem_check_secret(from, name, &file) : status;
}

static ach_status_t pem_load(const struct tls_directory *from, const char *name, bool secret,
                             struct pem_text *text)
{
    /* Without O_NONBLOCK, opening a FIFO would block. */
    int fd = openat(from->fd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    ach_status_t status;

    if (fd < 0)
        return pem_fail_errno(from, name);
    status = pem_check(from, name, secret, fd, &text->size);
    text->bytes = status == ACH_OK ? malloc(text->size + 1) : NULL;
    if (status == ACH_OK && (!text->bytes || !pem_fill(fd, text))) {
        free(text->bytes);
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "%s/%s: cannot read the file: %s", from->where,
                                name, strerror(errno));
    }
    close(fd);
    return status;
}

static void pem_release(struct pem_text *text)
{
    OPENSSL_cleanse(text->bytes, text->size);
    free(text->bytes);
}

/* An encrypted key is refused: nobody could type its password. */
static int pem_no_password(char *to, int size, int writing, void *cx)
{
    (void)to;
    (void)size;
    (void)writing;
    *(bool *)cx = true;
    return -1;
}

/* Everything in a file; it may hold certificates and lists. */
static ach_status_t pem_read(const struct tls_directory *from, const char *name,
                             STACK_OF(X509_INFO) * *found)
{
    bool encrypted = false;
    struct pem_text text = {0};
    ach_status_t status = pem_load(from, name, false, &text);
    BIO *bio;

    if (status != ACH_OK)
        return status;
    bio = BIO_new_mem_buf(text.bytes, (int)text.size);
    *found = bio ? PEM_X509_INFO_read_bio(bio, NULL, pem_no_password, &encrypted) : NULL;
    if (!*found)
        status = pem_fail(from, name, "the file is damaged: expected complete PEM blocks");
    ERR_clear_error(); /* the end of the text counts as an error, too */
    BIO_free(bio);
    pem_release(&text);
    return status;
}

ach_status_t tls_pem_certificates(const struct tls_directory *from, const char *name,
                                  STACK_OF(X509) * *found)
{
    STACK_OF(X509_INFO) * all;
    ach_status_t status = pem_read(from, name, &all);
    int i;

    if (status != ACH_OK)
        return status;
    *found = sk_X509_new_null();
    for (i = 0; *found && i < sk_X509_INFO_num(all); i++) {
        X509_INFO *info = sk_X509_INFO_value(all, i);

        if (info->x509 && sk_X509_push(*found, info->x509))
            info->x509 = NULL;
    }
    sk_X509_INFO_pop_free(all, X509_INFO_free);
    if (sk_X509_num(*found) > 0)
        return ACH_OK;
    sk_X509_free(*found);
    *found = NULL;
    return pem_fail(from, name, "expected a certificate, found none");
}

ach_status_t tls_pem_crls(const struct tls_directory *from, const char *name,
                          STACK_OF(X509_CRL) * *found)
{
    STACK_OF(X509_INFO) * all;
    ach_status_t status = pem_read(from, name, &all);
    int i;

    if (status != ACH_OK)
        return status;
    *found = sk_X509_CRL_new_null();
    for (i = 0; *found && i < sk_X509_INFO_num(all); i++) {
        X509_INFO *info = sk_X509_INFO_value(all, i);

        if (info->crl && sk_X509_CRL_push(*found, info->crl))
            info->crl = NULL;
    }
    sk_X509_INFO_pop_free(all, X509_INFO_free);
    if (sk_X509_CRL_num(*found) > 0)
        return ACH_OK;
    sk_X509_CRL_free(*found);
    *found = NULL;
    return pem_fail(from, name, "expected a list of revoked certificates, found none");
}

ach_status_t tls_pem_certificate(const struct tls_directory *from, const char *name, X509 **found)
{
    STACK_OF(X509) * all;
    ach_status_t status = tls_pem_certificates(from, name, &all);

    if (status != ACH_OK)
        return status;
    if (sk_X509_num(all) == 1)
        *found = sk_X509_pop(all);
    else
        status = pem_fail(from, name, "expected one certificate, found several");
    sk_X509_pop_free(all, X509_free);
    return status;
}

ach_status_t tls_pem_key(const struct tls_directory *from, const char *name, EVP_PKEY **found)
{
    bool encrypted = false;
    struct pem_text text = {0};
    ach_status_t status = pem_load(from, name, true, &text);
    BIO *bio;

    if (status != ACH_OK)
        return status;
    bio = BIO_new_mem_buf(text.bytes, (int)text.size);
    *found = bio ? PEM_read_bio_PrivateKey(bio, NULL, pem_no_password, &encrypted) : NULL;
    if (!*found)
        status = pem_fail(from, name,
                          encrypted ? "the key is encrypted: expected a key without a password"
                                    : "the file is damaged: expected a private key");
    ERR_clear_error();
    BIO_free(bio);
    pem_release(&text);
    return status;
}
