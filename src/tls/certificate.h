/* SPDX-License-Identifier: BSD-3-Clause */
/* certificate.h - make and read certificates and lists of revoked ones */
#ifndef TLS_CERTIFICATE_H
#define TLS_CERTIFICATE_H

#include <openssl/x509.h>
#include <stdbool.h>
#include <time.h>

#include "tls.h"

/* Who signs. */
struct tls_authority {
    X509 *certificate;
    EVP_PKEY *key;
};

struct tls_validity {
    time_t from, until;
};

/* Letters, digits, '-', '_' and '.', of which none is at the beginning, and at most 64. */
bool tls_name_valid(const char *name);

/* The only dNSName of a certificate. False: it has none, several, or one that is not valid. */
bool tls_certificate_name(const X509 *certificate, char name[TLS_NAME_MAX]);

void tls_certificate_serial(const X509 *certificate, char serial[TLS_SERIAL_MAX]);
time_t tls_certificate_time(const ASN1_TIME *when);

/* A new key; NULL: see tls_error. */
EVP_PKEY *tls_certificate_key(void);

/* Functions that make something return NULL if OpenSSL fails; see tls_error. */

/* A certificate for a host. A NULL authority: that of an authority, which signs itself. */
X509 *tls_certificate_make(const char *name, EVP_PKEY *key, struct tls_validity valid,
                           const struct tls_authority *by);

/* A list of revoked certificates: those of @old, which may be NULL, and @more. */
X509_CRL *tls_certificate_crl(const struct tls_authority *by, X509_CRL *old, STACK_OF(X509) * more,
                              struct tls_validity valid);

#endif
