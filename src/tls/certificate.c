/* SPDX-License-Identifier: BSD-3-Clause */
#include "certificate.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#define SERIAL_BYTES 16

bool tls_name_valid(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t n = strlen(name);

    return n && n < TLS_NAME_MAX && !strchr("-_.", *name) && strspn(name, letters) == n;
}

static bool certificate_take_name(const GENERAL_NAME *from, char name[TLS_NAME_MAX])
{
    const ASN1_IA5STRING *text = from->d.dNSName;
    int n = ASN1_STRING_length(text);

    if (n >= TLS_NAME_MAX || memchr(ASN1_STRING_get0_data(text), '\0', (size_t)n))
        return false;
    memcpy(name, ASN1_STRING_get0_data(text), (size_t)n);
    name[n] = '\0';
    return tls_name_valid(name);
}

bool tls_certificate_name(const X509 *certificate, char name[TLS_NAME_MAX])
{
    GENERAL_NAMES *all = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    bool valid = true;
    int i, n = 0;

    for (i = 0; i < sk_GENERAL_NAME_num(all); i++) {
        const GENERAL_NAME *one = sk_GENERAL_NAME_value(all, i);

        if (one->type == GEN_DNS)
            valid = n++ == 0 && certificate_take_name(one, name);
        if (!valid)
            break;
    }
    GENERAL_NAMES_free(all);
    if (valid && n == 1)
        return true;
    name[0] = '\0';
    return false;
}

void tls_certificate_serial(const X509 *certificate, char serial[TLS_SERIAL_MAX])
{
    const ASN1_INTEGER *number = X509_get0_serialNumber(certificate);
    const unsigned char *bytes = ASN1_STRING_get0_data(number);
    int i, n = ASN1_STRING_length(number);

    serial[0] = '\0';
    for (i = 0; i < n && 2 * i + 2 < TLS_SERIAL_MAX; i++)
        snprintf(serial + strlen(serial), 3, "%02X", bytes[i]);
}

time_t tls_certificate_time(const ASN1_TIME *when)
{
    struct tm t;

    return when && ASN1_TIME_to_tm(when, &t) ? timegm(&t) : 0;
}

EVP_PKEY *tls_certificate_key(void)
{
    return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
}

/* Always positive and of the same length: the first byte is from 0x40 to 0x7f. */
static bool certificate_number(X509 *x)
{
    unsigned char bytes[SERIAL_BYTES];
    BIGNUM *number = NULL;
    bool good = RAND_bytes(bytes, sizeof(bytes)) == 1;

    bytes[0] = (bytes[0] & 0x3f) | 0x40;
    if (good)
        number = BN_bin2bn(bytes, sizeof(bytes), NULL);
    good = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(x));
    BN_free(number);
    return good;
}

static bool certificate_extend(X509 *x, X509 *issuer, int nid, const char *value)
{
    X509_EXTENSION *e;
    X509V3_CTX context;
    bool good;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, x, NULL, NULL, 0);
    e = X509V3_EXT_nconf_nid(NULL, &context, nid, value);
    good = e && X509_add_ext(x, e, -1);
    X509_EXTENSION_free(e);
    return good;
}

static bool certificate_extend_host(X509 *x, X509 *issuer, const char *name)
{
    char alternative[TLS_NAME_MAX + 4];

    snprintf(alternative, sizeof(alternative), "DNS:%s", name);
    return certificate_extend(x, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
           certificate_extend(x, issuer, NID_key_usage, "critical,digitalSignature") &&
           certificate_extend(x, issuer, NID_ext_key_usage, "serverAuth,clientAuth") &&
           certificate_extend(x, issuer, NID_subject_alt_name, alternative);
}

/* pathlen 0: it signs hosts, and no other authorities. */
static bool certificate_extend_authority(X509 *x)
{
    return certificate_extend(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           certificate_extend(x, x, NID_key_usage, "critical,keyCertSign,cRLSign");
}

static bool certificate_fill(X509 *x, const char *name, EVP_PKEY *key, struct tls_validity valid,
                             const struct tls_authority *by)
{
    X509_NAME *subject = X509_get_subject_name(x);
    X509 *issuer = by ? by->certificate : x;

    return X509_set_version(x, X509_VERSION_3) && certificate_number(x) &&
           X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1,
                                      -1, 0) &&
           X509_set_issuer_name(x, X509_get_subject_name(issuer)) &&
           ASN1_TIME_set(X509_getm_notBefore(x), valid.from) &&
           ASN1_TIME_set(X509_getm_notAfter(x), valid.until) && X509_set_pubkey(x, key) &&
           (by ? certificate_extend_host(x, issuer, name) : certificate_extend_authority(x)) &&
           certificate_extend(x, issuer, NID_subject_key_identifier, "hash") &&
           certificate_extend(x, issuer, NID_authority_key_identifier, "keyid:always") &&
           X509_sign(x, by ? by->key : key, NULL);
}

X509 *tls_certificate_make(const char *name, EVP_PKEY *key, struct tls_validity valid,
                           const struct tls_authority *by)
{
    X509 *x = X509_new();

    if (x && certificate_fill(x, name, key, valid, by))
        return x;
    X509_free(x);
    return NULL;
}

static bool crl_revoke(X509_CRL *crl, const X509 *certificate, time_t now)
{
    X509_REVOKED *entry = X509_REVOKED_new();
    ASN1_TIME *when = ASN1_TIME_set(NULL, now);
    bool good = entry && when &&
                X509_REVOKED_set_serialNumber(
                    entry, (ASN1_INTEGER *)(uintptr_t)X509_get0_serialNumber(certificate)) &&
                X509_REVOKED_set_revocationDate(entry, when) && X509_CRL_add0_revoked(crl, entry);

    if (!good)
        X509_REVOKED_free(entry);
    ASN1_TIME_free(when);
    return good;
}

static bool crl_keep(X509_CRL *crl, X509_CRL *old)
{
    STACK_OF(X509_REVOKED) *all = old ? X509_CRL_get_REVOKED(old) : NULL;
    int i;

    for (i = 0; i < sk_X509_REVOKED_num(all); i++) {
        X509_REVOKED *copy = X509_REVOKED_dup(sk_X509_REVOKED_value(all, i));

        if (!copy || !X509_CRL_add0_revoked(crl, copy)) {
            X509_REVOKED_free(copy);
            return false;
        }
    }
    return true;
}

/* The number that tells a list from older ones. */
static bool crl_number(X509_CRL *crl, const X509_CRL *old)
{
    ASN1_INTEGER *last = old ? X509_CRL_get_ext_d2i(old, NID_crl_number, NULL, NULL) : NULL;
    BIGNUM *n = last ? ASN1_INTEGER_to_BN(last, NULL) : BN_new();
    ASN1_INTEGER *next = n && BN_add_word(n, 1) ? BN_to_ASN1_INTEGER(n, NULL) : NULL;
    bool good = next && X509_CRL_add1_ext_i2d(crl, NID_crl_number, next, 0, 0);

    ASN1_INTEGER_free(last);
    ASN1_INTEGER_free(next);
    BN_free(n);
    return good;
}

static bool crl_name_issuer(X509_CRL *crl, X509 *issuer)
{
    X509_EXTENSION *e;
    X509V3_CTX context;
    bool good;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, NULL, NULL, crl, 0);
    e = X509V3_EXT_nconf_nid(NULL, &context, NID_authority_key_identifier, "keyid:always");
    good = e && X509_CRL_add_ext(crl, e, -1);
    X509_EXTENSION_free(e);
    return good;
}

static bool crl_set_times(X509_CRL *crl, struct tls_validity valid)
{
    ASN1_TIME *from = ASN1_TIME_set(NULL, valid.from), *until = ASN1_TIME_set(NULL, valid.until);
    bool good = from && until && X509_CRL_set1_lastUpdate(crl, from) &&
                X509_CRL_set1_nextUpdate(crl, until);

    ASN1_TIME_free(from);
    ASN1_TIME_free(until);
    return good;
}

static bool crl_fill(X509_CRL *crl, const struct tls_authority *by, X509_CRL *old,
                     STACK_OF(X509) * more, struct tls_validity valid)
{
    bool good = X509_CRL_set_version(crl, X509_CRL_VERSION_2) &&
                X509_CRL_set_issuer_name(crl, X509_get_subject_name(by->certificate)) &&
                crl_set_times(crl, valid) && crl_keep(crl, old) && crl_number(crl, old) &&
                crl_name_issuer(crl, by->certificate);
    int i;

    for (i = 0; good && i < sk_X509_num(more); i++)
        good = crl_revoke(crl, sk_X509_value(more, i), valid.from);
    return good && X509_CRL_sort(crl) && X509_CRL_sign(crl, by->key, NULL);
}

X509_CRL *tls_certificate_crl(const struct tls_authority *by, X509_CRL *old, STACK_OF(X509) * more,
                              struct tls_validity valid)
{
    X509_CRL *crl = X509_CRL_new();

    if (crl && crl_fill(crl, by, old, more, valid))
        return crl;
    X509_CRL_free(crl);
    return NULL;
}
