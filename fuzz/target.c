/* SPDX-License-Identifier: BSD-3-Clause */
/* target.c - a property as libFuzzer wants it; PROPERTY names it */
#include "property.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PROPERTY(data, size);
    return 0;
}
