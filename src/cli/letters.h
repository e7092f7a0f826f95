/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * letters.h - letters of options that meant something else once
 *
 * A letter means the same in every verb; man/ach.1 has the table. Letters that
 * broke this rule were given up in the verbs where they did. No verb reuses
 * such a letter, so that an old command line fails instead of doing something
 * else.
 */
#ifndef LETTERS_H
#define LETTERS_H

/* What to write for a letter that a verb has given up; NULL if it never had it. */
const char *letter_now(const char *verb, int letter);

#endif
