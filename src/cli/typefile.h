/* SPDX-License-Identifier: BSD-3-Clause */
/* typefile.h - a type of messages, from options and a schema's file */
#ifndef CLI_TYPEFILE_H
#define CLI_TYPEFILE_H

#include <ach.h>
/* As given on the command line; NULL: not given. */
struct type_words {
    const char *name, *encoding, *schema_encoding;
    const char *file; /* that contains the schema */
};

/*
 * Make a type of them. The file's ending tells the encodings that are not given. An exit status,
 * after complaining if it failed. Free the schema afterwards.
 */
int type_read(const struct type_words *words, ach_channel_type_t *type);

#endif
