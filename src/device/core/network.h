/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network.h - which transport reaches other machines
 *
 * It is a header, so that libraries can use it without exporting a symbol.
 */
#ifndef DEV_NETWORK_H
#define DEV_NETWORK_H

#include <stdlib.h>

/* A user with keys wants TLS. It is never replaced by plain TCP: an attacker could cause that. */
static inline const char *network_transport(void)
{
    const char *keys = secure_getenv("ACH_KEYS");

    return keys && *keys ? "tls" : "tcp";
}

#endif
