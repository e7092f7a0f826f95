/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * withdrawn.h - option letters that were withdrawn
 *
 * A letter means the same in every verb; man/ach.1 has the table. Letters that
 * broke this rule were withdrawn from the verbs concerned. No verb reuses
 * such a letter, so that an old command line fails instead of doing something
 * else.
 */
#ifndef WITHDRAWN_H
#define WITHDRAWN_H

/* The replacement for a letter withdrawn from a verb; NULL if there is none. */
const char *withdrawn_letter(const char *verb, int letter);

#endif
