/* SPDX-License-Identifier: BSD-3-Clause */
/* A timeout is used only if the get must wait; a duration need not be normalised. */
#include "ach2.h"

#define WAIT (ACH_O_WAIT | ACH_O_LAST)

static ach_channel_t chan;

static ach_status_t get(long sec, long nsec, int options)
{
    struct timespec t;
    size_t size;
    int value;

    t.tv_sec = sec;
    t.tv_nsec = nsec;
    return ach_get(&chan, &value, sizeof(value), &size, &t, options);
}

static void messages_are_there(void)
{
    int i, overflowed = (int)3000000000u; /* 3 s in an int of nanoseconds */

    for (i = 0; i < 20; i++) {
        CHECK(ach_put(&chan, &i, sizeof(i)) == ACH_OK);
        CHECK(get(0, overflowed, WAIT | (i % 2 ? ACH_O_RELTIME : 0)) == ACH_OK);
    }
    CHECK(ach_put(&chan, &i, sizeof(i)) == ACH_OK);
    CHECK(get(-5, 1999999999l, WAIT) == ACH_OK);
}

static void nothing_comes(void)
{
    double begin = now(), took;

    CHECK(get(0, 50000000, WAIT | ACH_O_RELTIME) == ACH_TIMEOUT);
    CHECK(get(-1, 1050000000, WAIT | ACH_O_RELTIME) == ACH_TIMEOUT); /* 0.05 s */
    took = now() - begin;
    CHECK(took >= 0.1);
    begin = now();
    CHECK(get(0, 1100000000, WAIT | ACH_O_RELTIME) == ACH_TIMEOUT); /* 1.1 s */
    CHECK(now() - begin >= 1.1);
    CHECK(get(-1, 0, WAIT | ACH_O_RELTIME) == ACH_TIMEOUT);
    CHECK(get(0, -1, WAIT | ACH_O_RELTIME) == ACH_TIMEOUT);
    CHECK(get(0, 0, WAIT) == ACH_TIMEOUT);
    CHECK(get(1, 0, WAIT) == ACH_TIMEOUT);
    CHECK(get(-1000, 0, WAIT) == ACH_TIMEOUT);
    CHECK(get(-1000, 0, ACH_O_LAST) == ACH_STALE_FRAMES);
}

int main(void)
{
    make_channel(&chan, "timeouts");
    messages_are_there();
    nothing_comes();
    CHECK(ach_close(&chan) == ACH_OK && ach_unlink("timeouts") == ACH_OK);
    return 0;
}
