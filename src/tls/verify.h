/* SPDX-License-Identifier: BSD-3-Clause */
/* verify.h - is a certificate valid now? */
#ifndef TLS_VERIFY_H
#define TLS_VERIFY_H

#include <ach.h>
#include <openssl/x509.h>

#include "tls.h"

/* Set ach_errstr to a sentence for a result of verification: "WHOSE certificate is revoked". */
ach_status_t tls_verify_explain(const char *whose, const char *name, int error);

/* Check a certificate for a role with the authorities and lists of a store. */
ach_status_t tls_verify(X509_STORE *store, X509 *certificate, enum tls_role role,
                        const char *whose);

#endif
