/* SPDX-License-Identifier: BSD-3-Clause */
/* config_file.h - the bytes of configuration files, and where they are */
#ifndef ACHI_CONFIG_FILE_H
#define ACHI_CONFIG_FILE_H

#include <stdint.h>
#include <sys/stat.h>

#include "config_tree.h"

#define ACHI_TOO_LARGE "it is larger than 1048576 bytes"
_Static_assert(ACH_CONFIG_FILE_MAX == 1048576, "the message says how large");

struct achi_file {
    char *bytes;
    size_t size;
    dev_t device;
    ino_t inode;
};

/*
 * Read a whole file. An included one must be a regular file, the first may also
 * be a pipe. Why it failed is added to the text, without the file's name.
 */
enum ach_status achi_file_read(struct achi_file *file, const char *path, bool included,
                               struct achi_text *why);

/* A path as it stands in a file; lasts as long as the configuration. NULL: no memory. */
const char *achi_config_path(struct ach_config *config, const char *file, const char *path);

#endif
