/* SPDX-License-Identifier: BSD-3-Clause */
/* publisher.c - put ten temperature readings, one every 100 ms, into the channel "temperature" */
#include <ach.h>
#include <stdio.h>
#include <time.h>

struct reading {
    double celsius;
};

int main(void)
{
    const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
    ach_channel_t chan;
    ach_status_t r = ach_create("temperature", 16, sizeof(struct reading), NULL);

    if (r != ACH_OK && r != ACH_EEXIST) {
        fprintf(stderr, "publisher: %s\n", ach_errstr());
        return 1;
    }
    if (ach_open(&chan, "temperature", NULL) != ACH_OK) {
        fprintf(stderr, "publisher: %s\n", ach_errstr());
        return 1;
    }
    for (int i = 0; i < 10; i++) {
        struct reading now = {.celsius = 20.0 + i / 10.0};

        r = ach_put(&chan, &now, sizeof(now));
        if (r != ACH_OK)
            fprintf(stderr, "publisher: %s\n", ach_result_to_string(r));
        nanosleep(&pause, NULL);
    }
    ach_close(&chan);
    return 0;
}
