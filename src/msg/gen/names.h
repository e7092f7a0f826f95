/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h - names of C for those of a definition */
#ifndef GEN_NAMES_H
#define GEN_NAMES_H

#include <stdbool.h>

/* "LaserScan" as "laser_scan", to be freed; NULL: no memory. */
char *gen_snake_case(const char *name);

/* Does the name mean something else in C or C++? It gets an underscore, then. */
bool gen_is_reserved(const char *name);

/* Would a struct of that name, or one of its functions, be declared twice? */
bool gen_is_taken(const char *name);

#endif
