/* SPDX-License-Identifier: BSD-3-Clause */
/* typefile.h - a type of messages, from options and a schema's file */
#ifndef CLI_TYPEFILE_H
#define CLI_TYPEFILE_H

#include <ach.h>
#include <stdbool.h>

#define TYPE_INCLUDE_MAX 32

/* As given on the command line; NULL: not given. */
struct type_words {
    const char *name, *encoding, *schema_encoding;
    const char *file;                      /* that contains the schema */
    const char *include[TYPE_INCLUDE_MAX]; /* directories of packages of definitions */
    size_t include_count;
    bool complete; /* all definitions that the schema uses must be found; it may be empty */
};

/* Add a directory; false after complaining: there are too many. */
bool type_include(struct type_words *words, const char *directory);

/*
 * Make a type of them. The file's ending tells the encodings that are not given. The definitions
 * that a definition of ROS uses are added. An exit status, after complaining if it failed.
 * Free the schema afterwards.
 */
int type_read(const struct type_words *words, ach_channel_type_t *type);

/*
 * The name of the message in a file of ROS: "package/msg/Name" for package/msg/Name.msg, or
 * "Name". To be freed; NULL after complaining.
 */
char *type_name_of_file(const char *file);

#endif
