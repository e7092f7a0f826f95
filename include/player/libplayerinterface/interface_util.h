/* SPDX-License-Identifier: BSD-3-Clause */
/* interface_util.h - names of interfaces and message types */
#ifndef ACH_PLAYER_INTERFACE_UTIL_H
#define ACH_PLAYER_INTERFACE_UTIL_H

#include <playerconfig.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint16_t interf;
    char *name;
} player_interface_t;

/* Returns 0; -1: there is no such interface. */
int lookup_interface(const char *name, player_interface_t *interf);
int lookup_interface_code(int code, player_interface_t *interf);
const char *lookup_interface_name(unsigned int startpos, int code);

/* "unknown", 0xffff and 0xff: there is none. */
const char *interf_to_str(uint16_t code);
uint16_t str_to_interf(const char *name);
const char *msgtype_to_str(uint8_t code);
uint8_t str_to_msgtype(const char *name);

#ifdef __cplusplus
}
#endif

#endif
