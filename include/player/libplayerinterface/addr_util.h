/* SPDX-License-Identifier: BSD-3-Clause */
/* addr_util.h - hosts in addresses of devices */
#ifndef ACH_PLAYER_ADDR_UTIL_H
#define ACH_PLAYER_ADDR_UTIL_H

#include <stddef.h>

#include <playerconfig.h>

#ifdef __cplusplus
extern "C" {
#endif

void packedaddr_to_dottedip(char *dest, size_t len, uint32_t addr);

/* Looks the name up. Returns 0; -1: there is no such host. */
int hostname_to_packedaddr(uint32_t *dest, const char *hostname);

#ifdef __cplusplus
}
#endif

#endif
