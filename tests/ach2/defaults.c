/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame count or size of 0 means the default: 16 frames of 512 bytes. */
#include "ach2.h"

static void fits(size_t count, size_t size, size_t largest)
{
    static char message[70000];
    ach_create_attr_t attr;
    ach_channel_t chan;

    ach_create_attr_init(&attr);
    CHECK(ach_create_attr_set_truncate(&attr, 1) == ACH_OK);
    CHECK(ach_create("defaults", count, size, &attr) == ACH_OK);
    CHECK(ach_open(&chan, "defaults", NULL) == ACH_OK);
    CHECK(ach_put(&chan, message, largest) == ACH_OK);
    CHECK(ach_put(&chan, message, largest + 1) == ACH_OVERFLOW);
    CHECK(ach_close(&chan) == ACH_OK);
}

int main(void)
{
    fits(0, 0, 16 * 512);
    fits(100, 0, 100 * 512);
    fits(0, 1000, 16 * 1000);
    fits(3, 7, 3 * 7);
    CHECK(ach_unlink("defaults") == ACH_OK);
    return 0;
}
