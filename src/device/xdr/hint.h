/* SPDX-License-Identifier: BSD-3-Clause */
/* hint.h - errors about words that are no valid NAME=VALUE, with what to write instead */
#ifndef XDR_HINT_H
#define XDR_HINT_H

#include <ach/interface.h>

/* A struct has no field of that name. Lists the fields that it has. Returns ACH_EINVAL. */
enum ach_status xdr_hint_field(const ach_type_t *type, const char *name, size_t length);

/* A word is not NAME=VALUE. Returns ACH_EINVAL. */
enum ach_status xdr_hint_word(const ach_type_t *type, const char *word);

/*
 * A struct, or an array of structs, is not given as JSON.
 * @element: the word names an element of an array
 * @word: name and value
 * @value: where the value begins in the word
 * Returns ACH_EINVAL.
 */
enum ach_status xdr_hint_struct(const ach_field_t *field, bool element, const char *word,
                                const char *value);

#endif
