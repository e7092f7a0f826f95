/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h - a message from words like pose.x=1 */
#ifndef VALUE_WORDS_H
#define VALUE_WORDS_H

#include <ach.h>

#include "value.h"

/*
 * Make an object of words NAME=VALUE, with values of kind VALUE_WORD. A later word overrides an
 * earlier one. Names are checked against an example, unless it is null. ACH_EINVAL: a word is
 * wrong; ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status value_from_words(struct value_tree *t, const char *const *words, size_t count,
                                 const struct value *example);

/* Make a list of a word like 1,2,3, which may be empty. ACH_OK; ACH_FAILED_SYSCALL: no memory. */
enum ach_status value_split_word(struct value_arena *a, const struct value *word,
                                 struct value *list);

#endif
