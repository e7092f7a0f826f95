/* SPDX-License-Identifier: BSD-3-Clause */
/* context.h - the certificates of this host, for its sessions */
#ifndef TLS_CONTEXT_H
#define TLS_CONTEXT_H

#include <openssl/ssl.h>

#include "tls.h"

/* What the context uses now; the caller releases it with SSL_CTX_free. */
SSL_CTX *tls_context_current(struct tls_context *context);

#endif
