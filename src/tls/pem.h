/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pem.h - read the files of a directory of keys
 *
 * A directory is open while it is read, so that all files come from the same one even if another
 * takes its name. @where is its name, for messages.
 */
#ifndef TLS_PEM_H
#define TLS_PEM_H

#include <ach.h>
#include <openssl/x509.h>

/* The largest file. A list of revoked certificates has about 40 bytes for each. */
#define TLS_FILE_MAX (4 << 20)

/* A directory that is open for reading, and its name for messages. */
struct tls_directory {
    int fd;
    const char *where;
};

/* Every certificate, or every list of revoked certificates, of a file. At least one. */
ach_status_t tls_pem_certificates(const struct tls_directory *from, const char *name,
                                  STACK_OF(X509) * *found);
ach_status_t tls_pem_crls(const struct tls_directory *from, const char *name,
                          STACK_OF(X509_CRL) * *found);

/* The only certificate of a file. */
ach_status_t tls_pem_certificate(const struct tls_directory *from, const char *name, X509 **found);

/* A private key. Other users must have no access to the file. */
ach_status_t tls_pem_key(const struct tls_directory *from, const char *name, EVP_PKEY **found);

#endif
