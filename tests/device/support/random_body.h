/* SPDX-License-Identifier: BSD-3-Clause */
/* random_body.h - bodies of any type with random contents */
#ifndef RANDOM_BODY_H
#define RANDOM_BODY_H

#include <ach/interface.h>

/* Ordinary numbers, NaN, infinity and -0; arrays of up to @most elements. Release with free. */
void *random_body(const ach_type_t *type, uint64_t *random, uint32_t most);

#endif
