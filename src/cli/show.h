/* SPDX-License-Identifier: BSD-3-Clause */
/* show.h - a message as text or as a hex dump, safe for any terminal */
#ifndef SHOW_H
#define SHOW_H

#include <stdbool.h>
#include <stddef.h>

/* Is it one line of printable text? It may end with a newline or a NUL. */
bool is_text(const char *text, size_t len);

/* The same, for any number of lines. */
bool is_lines(const char *text, size_t len);

/* Print on one line. Unprintable bytes and the backslash are escaped. */
void print_text(const char *text, size_t len);

void print_dump(const unsigned char *data, size_t len);

#endif
