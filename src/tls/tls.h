/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tls.h - TLS 1.3 with mutual authentication, and the keys for it
 *
 * Only libachtls links OpenSSL. Its users get its functions from tls_load, which loads it when it
 * is needed; it may not be installed.
 *
 * A directory of keys belongs to one host. `ach keys` makes it:
 *     ca.pem    certificates of the authorities that this host trusts
 *     host.pem  this host's certificate; its only dNSName is the name of the host
 *     host.key  its private key; only the owner may read it
 *     crl.pem   lists of revoked certificates, one for each authority; may be missing
 *
 * Thread safety
 *     A context: any thread. A session: one thread at a time.
 *
 * Functions that return ach_status_t explain a failure in ach_errstr.
 */
#ifndef TLS_H
#define TLS_H

#include <ach.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The longest name of a host, with its NUL. X.509 does not allow more in a common name. */
#define TLS_NAME_MAX 65

/* A serial number in hexadecimal digits, with its NUL. */
#define TLS_SERIAL_MAX 41

enum tls_role {
    TLS_CLIENT,
    TLS_SERVER,
};

struct tls_context;
struct tls_session;

/* What a directory of keys holds. */
struct tls_info {
    char name[TLS_NAME_MAX];
    char serial[TLS_SERIAL_MAX];
    time_t from, until;     /* when the certificate is valid */
    time_t authority_until; /* the first certificate of ca.pem */
    bool revocation;        /* there is a crl.pem */
    time_t crl_until;       /* when its first list expires */
    int revoked;            /* certificates in all lists */
};

/* A certificate that an authority has issued. */
struct tls_issued {
    const char *name;
    const char *serial;
    time_t until;
    bool revoked;
};

typedef void tls_issued_fun(void *cx, const struct tls_issued *issued);

/* Called with the name of each host that must get the new crl.pem. */
typedef void tls_host_fun(void *cx, const char *name);

/* How to issue a certificate. */
enum tls_issue {
    TLS_ISSUE_NEW,   /* the host must not have one */
    TLS_ISSUE_RENEW, /* the host must have one */
    TLS_ISSUE_FORCE, /* replace it if there is one */
};

/*
 * Read a directory of keys. Everything in it must be valid now: the key belongs to the certificate,
 * an authority of ca.pem has signed it, and it is neither expired nor revoked.
 */
ach_status_t tls_context_create(const char *directory, struct tls_context **context);

/*
 * Read the directory again, for new sessions. If anything in it is not valid, or crl.pem has
 * disappeared, nothing changes. Sessions keep the certificates with which they began.
 */
ach_status_t tls_context_reload(struct tls_context *context);

void tls_context_info(struct tls_context *context, struct tls_info *info);

/* All its sessions must have been destroyed. NULL does nothing. */
void tls_context_destroy(struct tls_context *context);

/*
 * Begin a session on a connected stream socket. The caller closes the socket, after the session.
 * @peer: the only name that the other side may have; NULL: any name that ca.pem vouches for. A
 * client must give one.
 */
ach_status_t tls_session_create(struct tls_context *context, enum tls_role role, int fd,
                                const char *peer, struct tls_session **session);

/* NULL does nothing. */
void tls_session_destroy(struct tls_session *session);

/*
 * Continue the handshake without blocking. ACH_EAGAIN: poll for tls_session_wants and call again.
 * ACH_OK to a client does not mean that the server accepts its certificate: it may refuse
 * afterwards, and the first read reports that. The caller limits the time.
 */
ach_status_t tls_session_handshake(struct tls_session *session);

/*
 * As recv and send with MSG_DONTWAIT and MSG_NOSIGNAL, after the handshake. -1 with errno EAGAIN:
 * poll for tls_session_wants. Other values of errno end the session; ach_errstr says why. A read
 * takes at most one record, 16 KiB; if that has no data, errno is EAGAIN. It returns 0 only if the
 * peer has ended the session: a connection that is cut is an error. If a write takes only a part,
 * or nothing, the next one must begin with all bytes that it did not take. If the connection is
 * cut, a write fails, and bytes that came before can still be read.
 */
ssize_t tls_session_read(struct tls_session *session, void *to, size_t size);
ssize_t tls_session_write(struct tls_session *session, const void *from, size_t size);

/* POLLIN or POLLOUT: what the last call that returned EAGAIN waits for. */
short tls_session_wants(const struct tls_session *session);

/*
 * Whether bytes may be read although poll does not say so: the last read filled its buffer, or has
 * read ahead.
 */
bool tls_session_pending(const struct tls_session *session);

/*
 * After the handshake: take all bytes that the socket has, instead of the header of a record and
 * then the rest, with a call of recv for each. The caller must read while tls_session_pending.
 */
void tls_session_read_ahead(struct tls_session *session);

/* Tell the peer that nothing more comes, if the socket takes it at once. Reading may go on. */
void tls_session_shutdown(struct tls_session *session);

/* The name in the peer's certificate; "" before the end of the handshake. */
const char *tls_session_peer(const struct tls_session *session);

/*
 * Check the peer's certificate again, with the certificates and lists that the context has now.
 * ACH_EACCES: it is expired or revoked, or its authority is not trusted any more.
 */
ach_status_t tls_session_check(const struct tls_session *session);

/*
 * Make an authority in a directory, which is created: ca/ holds its key, and a certificate of each
 * host. @name: of the authority. @force: replace an existing one.
 */
ach_status_t tls_keys_init(const char *directory, const char *name, unsigned days, bool force);

/* Make the directory of keys hosts/NAME for a host. */
ach_status_t tls_keys_issue(const char *directory, const char *name, unsigned days,
                            enum tls_issue how);

/*
 * Revoke all certificates that a host has, and write the new list into all directories of hosts.
 * @fun is called for each of them.
 */
ach_status_t tls_keys_revoke(const char *directory, const char *name, tls_host_fun *fun, void *cx);

/* All certificates of an authority, in the order of names and then of ends. */
ach_status_t tls_keys_list(const char *directory, tls_issued_fun *fun, void *cx);

/*
 * A key for datagrams: AES-256-GCM. The counter is the nonce. A counter must never be used for two
 * datagrams of one key: that would reveal both. The caller gets the key from the system's random
 * source, and tells it only to those who may read and write.
 */
#define TLS_AEAD_KEY 32
#define TLS_AEAD_TAG 16

struct tls_aead;

/* @seals: for tls_aead_seal; otherwise for tls_aead_open. */
ach_status_t tls_aead_create(const unsigned char key[TLS_AEAD_KEY], bool seals,
                             struct tls_aead **aead);

/* NULL does nothing. */
void tls_aead_destroy(struct tls_aead *aead);

/*
 * Encrypt or decrypt the bytes in place; the head is only authenticated. False from open: the
 * head, the bytes or the tag are not those that were sealed, and the bytes are destroyed.
 */
bool tls_aead_seal(struct tls_aead *aead, uint64_t counter, const void *head, size_t head_size,
                   unsigned char *bytes, size_t size, unsigned char tag[TLS_AEAD_TAG]);
bool tls_aead_open(struct tls_aead *aead, uint64_t counter, const void *head, size_t head_size,
                   unsigned char *bytes, size_t size, unsigned char tag[TLS_AEAD_TAG]);

/* All functions above. */
struct tls_library {
    ach_status_t (*context_create)(const char *directory, struct tls_context **context);
    ach_status_t (*context_reload)(struct tls_context *context);
    void (*context_info)(struct tls_context *context, struct tls_info *info);
    void (*context_destroy)(struct tls_context *context);
    ach_status_t (*session_create)(struct tls_context *context, enum tls_role role, int fd,
                                   const char *peer, struct tls_session **session);
    void (*session_destroy)(struct tls_session *session);
    ach_status_t (*session_handshake)(struct tls_session *session);
    ssize_t (*session_read)(struct tls_session *session, void *to, size_t size);
    ssize_t (*session_write)(struct tls_session *session, const void *from, size_t size);
    short (*session_wants)(const struct tls_session *session);
    bool (*session_pending)(const struct tls_session *session);
    void (*session_read_ahead)(struct tls_session *session);
    void (*session_shutdown)(struct tls_session *session);
    const char *(*session_peer)(const struct tls_session *session);
    ach_status_t (*session_check)(const struct tls_session *session);
    ach_status_t (*keys_init)(const char *directory, const char *name, unsigned days, bool force);
    ach_status_t (*keys_issue)(const char *directory, const char *name, unsigned days,
                               enum tls_issue how);
    ach_status_t (*keys_revoke)(const char *directory, const char *name, tls_host_fun *fun,
                                void *cx);
    ach_status_t (*keys_list)(const char *directory, tls_issued_fun *fun, void *cx);
    ach_status_t (*aead_create)(const unsigned char key[TLS_AEAD_KEY], bool seals,
                                struct tls_aead **aead);
    void (*aead_destroy)(struct tls_aead *aead);
    bool (*aead_seal)(struct tls_aead *aead, uint64_t counter, const void *head, size_t head_size,
                      unsigned char *bytes, size_t size, unsigned char tag[TLS_AEAD_TAG]);
    bool (*aead_open)(struct tls_aead *aead, uint64_t counter, const void *head, size_t head_size,
                      unsigned char *bytes, size_t size, unsigned char tag[TLS_AEAD_TAG]);
};

/* The functions of libachtls; NULL: it is not installed, and ach_errstr says so. */
const struct tls_library *tls_load(void);

#endif
