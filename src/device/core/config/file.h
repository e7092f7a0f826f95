/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h - the bytes of configuration files, and where they are */
#ifndef DEV_CONFIG_FILE_H
#define DEV_CONFIG_FILE_H

#include <stdint.h>
#include <sys/stat.h>

#include "tree.h"

#define DEV_TOO_LARGE "it is larger than 1048576 bytes"
_Static_assert(ACH_CONFIG_FILE_MAX == 1048576, "the message says how large");

struct dev_file {
    char *bytes;
    size_t size;
    dev_t device;
    ino_t inode;
};

/*
 * Read a whole file. An included one must be a regular file, the first may also
 * be a pipe. Why it failed is added to the text, without the file's name.
 */
enum ach_status dev_file_read(struct dev_file *file, const char *path, bool included,
                              struct dev_text *why);

/* A path relative to the directory of @file; lasts as long as @config. NULL: no memory. */
const char *dev_config_path(struct ach_config *config, const char *file, const char *path);

#endif
