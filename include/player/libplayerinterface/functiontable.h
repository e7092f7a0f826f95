/* SPDX-License-Identifier: BSD-3-Clause */
/* functiontable.h - copy, free and encode the body of any message */
#ifndef ACH_PLAYER_FUNCTIONTABLE_H
#define ACH_PLAYER_FUNCTIONTABLE_H

#include <stddef.h>

#include <playerconfig.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLAYERXDR_ENCODE 0
#define PLAYERXDR_DECODE 1
#define PLAYERXDR_MAX_MESSAGE_SIZE (4 * PLAYER_MAX_MESSAGE_SIZE)

typedef int (*player_pack_fn_t)(void *buf, size_t buflen, void *msg, int op);
typedef unsigned int (*player_copy_fn_t)(void *dest, const void *src);
typedef void (*player_cleanup_fn_t)(void *msg);
typedef void *(*player_clone_fn_t)(void *msg);
typedef void (*player_free_fn_t)(void *msg);
typedef unsigned int (*player_sizeof_fn_t)(void *msg);

typedef struct {
    uint16_t interf;
    uint8_t type;
    uint8_t subtype;
    player_pack_fn_t packfunc;
    player_copy_fn_t copyfunc;
    player_cleanup_fn_t cleanupfunc;
    player_clone_fn_t clonefunc;
    player_free_fn_t freefunc;
    player_sizeof_fn_t sizeoffunc;
} playerxdr_function_t;

/* NULL if there is no such message, or if it has no body. */
player_pack_fn_t playerxdr_get_packfunc(uint16_t interf, uint8_t type, uint8_t subtype);
player_copy_fn_t playerxdr_get_copyfunc(uint16_t interf, uint8_t type, uint8_t subtype);
player_cleanup_fn_t playerxdr_get_cleanupfunc(uint16_t interf, uint8_t type, uint8_t subtype);
player_clone_fn_t playerxdr_get_clonefunc(uint16_t interf, uint8_t type, uint8_t subtype);
player_free_fn_t playerxdr_get_freefunc(uint16_t interf, uint8_t type, uint8_t subtype);
player_sizeof_fn_t playerxdr_get_sizeoffunc(uint16_t interf, uint8_t type, uint8_t subtype);

/* The names of Player's functions: source, then destination. Returns the bytes. */
unsigned int playerxdr_deepcopy_message(void *src, void *dest, uint16_t interf, uint8_t type,
                                        uint8_t subtype);
void *playerxdr_clone_message(void *msg, uint16_t interf, uint8_t type, uint8_t subtype);

/* The struct and what it points to; cleanup: only what it points to. */
void playerxdr_free_message(void *msg, uint16_t interf, uint8_t type, uint8_t subtype);
void playerxdr_cleanup_message(void *msg, uint16_t interf, uint8_t type, uint8_t subtype);

void playerxdr_ftable_init(void);

#ifdef __cplusplus
}
#endif

#endif
