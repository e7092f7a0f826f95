/* SPDX-License-Identifier: BSD-3-Clause */
/* A get without a place for the size is accepted when there is no size to store. */
#include "ach2.h"

int main(void)
{
    const struct timespec soon = {0, 1000000};
    ach_channel_t chan;
    size_t size = 0;
    int value = 7;

    make_channel(&chan, "nosize");
    CHECK(ach_get(&chan, &value, sizeof(value), NULL, NULL, 0) == ACH_STALE_FRAMES);
    CHECK(ach_get(&chan, &value, sizeof(value), NULL, &soon, ACH_O_WAIT | ACH_O_RELTIME) ==
          ACH_TIMEOUT);

    CHECK(ach_put(&chan, &value, sizeof(value)) == ACH_OK);
    value = 0;
    CHECK(ach_get(&chan, &value, sizeof(value), NULL, NULL, 0) == ACH_EINVAL);
    CHECK(ach_get(&chan, &value, sizeof(value), &size, NULL, 0) == ACH_OK); /* it is not lost */
    CHECK(size == sizeof(value) && value == 7);

    CHECK(ach_cancel(&chan, NULL) == ACH_OK);
    CHECK(ach_get(&chan, &value, sizeof(value), NULL, NULL, ACH_O_WAIT) == ACH_CANCELED);
    CHECK(ach_close(&chan) == ACH_OK && ach_unlink("nosize") == ACH_OK);
    return 0;
}
