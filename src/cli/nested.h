/* SPDX-License-Identifier: BSD-3-Clause */
/* nested.h - the definitions that a definition of ROS uses, found in their files */
#ifndef CLI_NESTED_H
#define CLI_NESTED_H

#include "typefile.h"

/*
 * Append to the schema each definition that it uses and does not contain. They are searched beside
 * the file, in the directories of other packages beside its own, and in the directories of the
 * words. False after complaining: one was not found, and all are needed. Otherwise a warning is
 * enough.
 */
bool nested_add(const struct type_words *words, ach_channel_type_t *type);

#endif
