/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store.h - write files and directories of keys
 *
 * A file appears whole or not at all, and so does a directory: both are made under another name
 * first. Only the owner has access to them.
 */
#ifndef TLS_STORE_H
#define TLS_STORE_H

#include <openssl/x509.h>
#include <stdbool.h>

#include "pem.h"

/* The name of a directory that is being made. */
#define TLS_STORE_DRAFT 32

/* Create a directory, and those above it. */
ach_status_t tls_store_make(const char *path);

/* Open a directory inside another one; @where must last as long as @opened. */
ach_status_t tls_store_open(const struct tls_directory *in, const char *name, const char *where,
                            struct tls_directory *opened);
void tls_store_close(struct tls_directory *opened);

/* Write a file, which replaces an older one of that name. */
ach_status_t tls_store_certificate(const struct tls_directory *to, const char *name, X509 *x);
ach_status_t tls_store_crl(const struct tls_directory *to, const char *name, X509_CRL *crl);
ach_status_t tls_store_key(const struct tls_directory *to, const char *name, EVP_PKEY *key);

/* Begin a directory under a temporary name. Then publish or discard it. */
ach_status_t tls_store_draft(const struct tls_directory *in, char draft[TLS_STORE_DRAFT],
                             struct tls_directory *opened);

/* Give the draft its name. @replace: an older directory of that name is removed. */
ach_status_t tls_store_publish(const struct tls_directory *in, const char *draft, const char *name,
                               bool replace);
void tls_store_discard(const struct tls_directory *in, const char *draft);

#endif
