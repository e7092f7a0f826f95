/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gen.h - C headers from definitions of messages
 *
 * A header has a block for each struct, and one for the calls of the message. Each has a guard, so
 * that several headers with the same inner structs can be included together.
 */
#ifndef GEN_H
#define GEN_H

#include <stdio.h>

#include "model.h"

/* Write what stands before the messages of a header. */
void gen_begin(FILE *out);

/* Write a message: its structs and calls. The type's schema has all definitions that it uses. */
enum ach_status gen_message(FILE *out, const struct gen_names *names,
                            const ach_channel_type_t *type);

#endif
