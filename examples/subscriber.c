/* SPDX-License-Identifier: BSD-3-Clause */
/* subscriber.c - print what arrives in the channel "temperature", until two seconds of silence */
#include <ach.h>
#include <stdio.h>

struct reading {
    double celsius;
};

int main(void)
{
    const struct timespec limit = {.tv_sec = 2};
    struct reading now;
    ach_channel_t chan;
    ach_status_t r;
    size_t size;

    if (ach_open(&chan, "temperature", NULL) != ACH_OK) {
        fprintf(stderr, "subscriber: %s\n", ach_errstr());
        return 1;
    }
    for (;;) {
        r = ach_get(&chan, &now, sizeof(now), &size, &limit, ACH_O_WAIT | ACH_O_RELTIME);
        if (r == ACH_OVERFLOW) /* larger than a reading: anybody may put anything */
            ach_flush(&chan);
        else if (!ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME))
            break;
        else if (size == sizeof(now))
            printf("%.1f\n", now.celsius);
    }
    ach_close(&chan);
    return r == ACH_TIMEOUT ? 0 : 1;
}
