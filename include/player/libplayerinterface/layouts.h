/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layouts.h - where the fields of Player's structs are, and those of ours
 *
 * Included by what playergen makes. An interface of a plug-in registers its list of layouts with
 * player_layouts_add, and its definition with ach_interface_add.
 */
#ifndef ACH_PLAYER_LAYOUTS_H
#define ACH_PLAYER_LAYOUTS_H

#include <ach/interface.h>
#include <libplayerinterface/functiontable.h>

#ifdef __cplusplus
extern "C" {
#endif

enum player_array {
    PLAYER_ONE,
    PLAYER_FIXED,   /* limit values */
    PLAYER_POINTER, /* a count, and a pointer to values that malloc has returned */
    PLAYER_INLINE   /* a count, and room for limit values; a pointer in our struct */
};

struct player_layout;

struct player_layout_field {
    const struct player_layout *inner; /* NULL: a scalar */
    enum player_array array;
    uint32_t size; /* of one value in Player's struct */
    uint32_t limit;
    uint32_t theirs, ours;             /* offsets of the value or of the pointer */
    uint32_t count_theirs, count_ours; /* offsets of the count */
};

struct player_layout {
    const ach_type_t *type; /* ours */
    const struct player_layout_field *fields;
    uint32_t count;
    uint32_t size, ach_size; /* of the structs */
    const playerxdr_function_t *functions;
};

/* The list ends with NULL and is used until the process ends. */
void player_layouts_add(const struct player_layout *const *list);

/* The layout of a message's body; NULL: no such message, or no body. */
const struct player_layout *player_layout_find(uint16_t interf, uint8_t type, uint8_t subtype);

/* Deep copies. Those that return a number return the bytes of the struct and what it points to. */
unsigned int player_body_copy(const struct player_layout *l, void *dst, const void *src);
void *player_body_clone(const struct player_layout *l, const void *src);
void player_body_cleanup(const struct player_layout *l, void *body);
void player_body_free(const struct player_layout *l, void *body);
unsigned int player_body_sizeof(const struct player_layout *l, const void *body);

/* Encode, or decode, as XDR. Returns the bytes; -1: not possible. */
int player_body_pack(const struct player_layout *l, void *buf, size_t size, void *body, int op);

#ifdef __cplusplus
}
#endif

#endif
