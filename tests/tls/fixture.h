/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture.h - authorities, hosts and connections for the tests of src/tls */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <openssl/ssl.h>

#include "certificate.h"
#include "check.h"
#include "pem.h"
#include "store.h"
#include "tls.h"

#define DAY 86400

/* A host, as an authority made it. */
struct host {
    X509 *certificate;
    EVP_PKEY *key;
};

/* Make the temporary directory of all tests; it is removed at exit. */
void fixture_begin(void);

/* A path in it. Up to 8 results are valid at a time. */
const char *fixture_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

void fixture_write(const char *path, const void *bytes, size_t size, mode_t mode);
size_t fixture_read(const char *path, char *to, size_t room);

struct tls_authority authority_make(void);
void authority_free(struct tls_authority *a);

/* Days from now, which may be negative. */
struct tls_validity days(int from, int until);

struct host host_make(const struct tls_authority *a, const char *name, struct tls_validity valid);
void host_free(struct host *h);

/* A list that revokes one certificate; NULL: none. */
X509_CRL *crl_make(const struct tls_authority *a, X509 *revoked, struct tls_validity valid);

/* Write a directory of keys; a NULL list: without crl.pem. Returns its path. */
const char *directory_make(const char *name, X509 *ca, const struct host *h, X509_CRL *crl);

/* A context for a new host of that name. */
struct tls_context *context_make(const struct tls_authority *a, const char *name, X509_CRL *crl);

/* ach_errstr contains the words. */
#define CHECK_SAYS(words) check_says((words), __FILE__, __LINE__)
void check_says(const char *words, const char *file, int line);

/* Two ends of a connection. */
struct pair {
    int fd[2];
    struct tls_session *client, *server;
};

/* Begin a session at each end; the client expects the name @peer. */
void pair_begin(struct pair *p, struct tls_context *client, const char *peer,
                struct tls_context *server);
void pair_end(struct pair *p);

/* Run both handshakes until both have ended; what they returned. */
struct outcome {
    ach_status_t client, server;
    char client_why[512], server_why[512];
};
struct outcome pair_shake(struct pair *p);

/* Move bytes through an established pair. True: all have arrived unchanged. */
bool pair_carry(struct tls_session *from, struct tls_session *to, size_t size);

#endif
