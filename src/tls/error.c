/* SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>

ach_status_t tls_error(ach_status_t status, const char *what)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;

    ach_errstr_set(status, "%s: %s", what, reason ? reason : "OpenSSL gives no reason");
    ERR_clear_error();
    return status;
}

ach_status_t tls_error_errno(const char *what)
{
    ach_status_t status = errno == ENOENT                     ? ACH_ENOENT
                          : errno == EEXIST                   ? ACH_EEXIST
                          : errno == EACCES || errno == EPERM ? ACH_EACCES
                                                              : ACH_FAILED_SYSCALL;

    return ach_errstr_set(status, "%s: %s", what, strerror(errno));
}
