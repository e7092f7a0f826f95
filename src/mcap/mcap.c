/* SPDX-License-Identifier: BSD-3-Clause */
#include "mcap.h"

#include <string.h>

struct mcap_text mcap_text(const char *text)
{
    return (struct mcap_text){.at = text, .size = text ? strlen(text) : 0};
}
