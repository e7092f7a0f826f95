/* SPDX-License-Identifier: BSD-3-Clause */
/* codec.h - functions that encode and decode a struct */
#ifndef GEN_CODEC_H
#define GEN_CODEC_H

#include <stdio.h>

#include "model.h"

/* Write NAME_cdr_write. */
void gen_writer(FILE *out, const struct gen_struct *s);

/* Write NAME_cdr_read. */
void gen_reader(FILE *out, const struct gen_struct *s);

#endif
