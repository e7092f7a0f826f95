/* SPDX-License-Identifier: BSD-3-Clause */
/* error.h - failures of OpenSSL as sentences */
#ifndef TLS_ERROR_H
#define TLS_ERROR_H

#include <ach.h>

/* Set ach_errstr to "@what: the reason of OpenSSL", and empty OpenSSL's queue of errors. */
ach_status_t tls_error(ach_status_t status, const char *what);

/* The same for errno. */
ach_status_t tls_error_errno(const char *what);

#endif
