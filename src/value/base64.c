/* SPDX-License-Identifier: BSD-3-Clause */
#include "base64.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void value_base64_write(const uint8_t *bytes, size_t size, FILE *to)
{
    size_t i, k;

    for (i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;

        three |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        three |= i + 2 < size ? bytes[i + 2] : 0;
        for (k = 0; k < 4; k++)
            putc(i + k <= size ? letters[three >> (18 - 6 * k) & 63] : '=', to);
    }
}

bool value_base64_read(const char *text, size_t size, uint8_t *out, size_t *length)
{
    uint32_t bits = 0;
    size_t i, n = 0;

    if (size % 4 == 0 && size && text[size - 1] == '=')
        size -= text[size - 2] == '=' ? 2 : 1;
    for (i = 0; i < size; i++) {
        const char *letter = text[i] ? strchr(letters, text[i]) : NULL;

        if (!letter)
            return false;
        bits = bits << 6 | (uint32_t)(letter - letters);
        if (i % 4)
            out[n++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    *length = n;
    return size % 4 != 1;
}
