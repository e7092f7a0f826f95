/* SPDX-License-Identifier: BSD-3-Clause */
/* A copied handle has its own read position; closing one copy closes all. */
#include "ach2.h"

static int get_next(ach_channel_t *chan)
{
    size_t size;
    int value;

    CHECK(ach_get(chan, &value, sizeof(value), &size, NULL, 0) == ACH_OK);
    return value;
}

int main(void)
{
    ach_channel_t chan, copy, other;
    struct {
        ach_channel_t chan;
    } robot;
    size_t size;
    int i;

    make_channel(&chan, "copies");
    for (i = 1; i <= 6; i++)
        CHECK(ach_put(&chan, &i, sizeof(i)) == ACH_OK);
    CHECK(get_next(&chan) == 1 && get_next(&chan) == 2);
    copy = chan;
    memcpy(&robot.chan, &chan, sizeof(chan));
    CHECK(get_next(&copy) == 3 && get_next(&copy) == 4);
    CHECK(get_next(&chan) == 3);
    CHECK(ach_flush(&robot.chan) == ACH_OK);
    CHECK(get_next(&copy) == 5 && get_next(&chan) == 4);
    i = 7;
    CHECK(ach_put(&copy, &i, sizeof(i)) == ACH_OK);
    CHECK(get_next(&robot.chan) == 7);

    CHECK(ach_close(&copy) == ACH_OK);
    CHECK(ach_put(&chan, &i, sizeof(i)) == ACH_CLOSED);
    CHECK(ach_get(&robot.chan, &i, sizeof(i), &size, NULL, ACH_O_WAIT) == ACH_CLOSED);
    CHECK(ach_flush(&chan) == ACH_CLOSED && ach_cancel(&chan, NULL) == ACH_CLOSED);

    make_channel(&other, "other"); /* may use the same memory */
    CHECK(ach_put(&chan, &i, sizeof(i)) == ACH_CLOSED);
    CHECK(ach_get(&other, &i, sizeof(i), &size, NULL, 0) == ACH_STALE_FRAMES);
    CHECK(ach_close(&chan) == ACH_CLOSED && ach_close(&robot.chan) == ACH_CLOSED);
    CHECK(ach_put(&other, &i, sizeof(i)) == ACH_OK && get_next(&other) == 7);
    CHECK(ach_close(&other) == ACH_OK);
    CHECK(ach_unlink("copies") == ACH_OK && ach_unlink("other") == ACH_OK);
    return 0;
}
