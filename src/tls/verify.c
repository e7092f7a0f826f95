/* SPDX-License-Identifier: BSD-3-Clause */
#include "verify.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "certificate.h"
#include "error.h"

static const char *verify_reason(int error)
{
    switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return "has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return "is not valid yet: is the clock of this machine right?";
    case X509_V_ERR_CERT_REVOKED:
        return "is revoked";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
        return "is not signed by an authority of ca.pem";
    case X509_V_ERR_UNABLE_TO_GET_CRL:
        return "cannot be checked: crl.pem has no list of its authority";
    case X509_V_ERR_CRL_HAS_EXPIRED:
        return "cannot be checked: the list of its authority in crl.pem has expired";
    case X509_V_ERR_CRL_NOT_YET_VALID:
        return "cannot be checked: the list of its authority in crl.pem is not valid yet";
    case X509_V_ERR_CRL_SIGNATURE_FAILURE:
        return "cannot be checked: crl.pem is not signed by its authority";
    case X509_V_ERR_APPLICATION_VERIFICATION:
        return "must have exactly one name (dNSName)";
    default:
        return NULL;
    }
}

ach_status_t tls_verify_explain(const char *whose, const char *name, int error)
{
    const char *reason = verify_reason(error), *of = *name ? " of " : "";

    if (reason)
        return ach_errstr_set(ACH_EACCES, "%s certificate%s%s %s", whose, of, name, reason);
    return ach_errstr_set(ACH_EACCES, "%s certificate%s%s is refused: %s", whose, of, name,
                          X509_verify_cert_error_string(error));
}

ach_status_t tls_verify(X509_STORE *store, X509 *certificate, enum tls_role role, const char *whose)
{
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    char name[TLS_NAME_MAX];
    ach_status_t status;

    tls_certificate_name(certificate, name);
    if (!context || !X509_STORE_CTX_init(context, store, certificate, NULL) ||
        !X509_STORE_CTX_set_default(context, role == TLS_SERVER ? "ssl_server" : "ssl_client"))
        status = tls_error(ACH_FAILED_SYSCALL, "cannot check a certificate");
    else if (X509_verify_cert(context) != 1)
        status = tls_verify_explain(whose, name, X509_STORE_CTX_get_error(context));
    else
        status = ACH_OK;
    X509_STORE_CTX_free(context);
    ERR_clear_error();
    return status;
}
