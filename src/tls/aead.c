/* SPDX-License-Identifier: BSD-3-Clause */
/* aead.c - AES-256-GCM for datagrams */
#include <limits.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdlib.h>

#include "error.h"
#include "tls.h"

#define NONCE_SIZE 12

struct tls_aead {
    EVP_CIPHER_CTX *cipher;
};

ach_status_t tls_aead_create(const unsigned char key[TLS_AEAD_KEY], bool seals,
                             struct tls_aead **aead)
{
    struct tls_aead *a = calloc(1, sizeof(*a));

    if (!a)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a key");
    a->cipher = EVP_CIPHER_CTX_new();
    if (!a->cipher ||
        EVP_CipherInit_ex(a->cipher, EVP_aes_256_gcm(), NULL, key, NULL, seals) != 1) {
        tls_aead_destroy(a);
        return tls_error(ACH_FAILED_SYSCALL, "cannot use a key");
    }
    *aead = a;
    return ACH_OK;
}

void tls_aead_destroy(struct tls_aead *a)
{
    if (!a)
        return;
    EVP_CIPHER_CTX_free(a->cipher);
    free(a);
}

/* The nonce is the counter, in front of zeros. */
static bool aead_begin(struct tls_aead *a, uint64_t counter, const void *head, size_t head_size)
{
    unsigned char nonce[NONCE_SIZE] = {0};
    unsigned i;
    int n;

    for (i = 0; i < sizeof(counter); i++)
        nonce[i] = (unsigned char)(counter >> 8 * i);
    return EVP_CipherInit_ex(a->cipher, NULL, NULL, NULL, nonce, -1) == 1 &&
           EVP_CipherUpdate(a->cipher, NULL, &n, head, (int)head_size) == 1;
}

bool tls_aead_seal(struct tls_aead *a, uint64_t counter, const void *head, size_t head_size,
                   unsigned char *bytes, size_t size, unsigned char tag[TLS_AEAD_TAG])
{
    int n;

    return size <= INT_MAX && aead_begin(a, counter, head, head_size) &&
           EVP_CipherUpdate(a->cipher, bytes, &n, bytes, (int)size) == 1 &&
           EVP_CipherFinal_ex(a->cipher, bytes + n, &n) == 1 &&
           EVP_CIPHER_CTX_ctrl(a->cipher, EVP_CTRL_AEAD_GET_TAG, TLS_AEAD_TAG, tag) == 1;
}

bool tls_aead_open(struct tls_aead *a, uint64_t counter, const void *head, size_t head_size,
                   unsigned char *bytes, size_t size, unsigned char tag[TLS_AEAD_TAG])
{
    int n;

    return size <= INT_MAX && aead_begin(a, counter, head, head_size) &&
           EVP_CipherUpdate(a->cipher, bytes, &n, bytes, (int)size) == 1 &&
           EVP_CIPHER_CTX_ctrl(a->cipher, EVP_CTRL_AEAD_SET_TAG, TLS_AEAD_TAG, tag) == 1 &&
           EVP_CipherFinal_ex(a->cipher, bytes + n, &n) == 1;
}
