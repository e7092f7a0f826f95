/* SPDX-License-Identifier: BSD-3-Clause */
/* opaque.h - what the bytes of opaque.cc are */
#ifndef OPAQUE_H
#define OPAQUE_H

#include <stdint.h>

struct opaque_sample {
    uint32_t count;
    double half;
};

#endif
