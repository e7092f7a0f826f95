/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * logger.c - read every message of a channel, and say what was missed
 *
 * usage: logger CHANNEL. Ends after two seconds of silence. For real logs see achlog(1).
 */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>

static void note(const ach_channel_t *chan, size_t size, ach_status_t r)
{
    uint64_t seq = 0, missed = 0;

    ach_channel_seq(chan, &seq);
    ach_channel_missed(chan, &missed, NULL);
    if (r == ACH_MISSED_FRAME)
        printf("missed %llu\n", (unsigned long long)missed);
    printf("%llu: %zu bytes\n", (unsigned long long)seq, size);
}

int main(int argc, char **argv)
{
    const struct timespec limit = {.tv_sec = 2};
    ach_channel_t chan;
    ach_info_t info;
    ach_status_t r;
    void *buf;

    if (argc != 2) {
        fprintf(stderr, "usage: logger CHANNEL\n");
        return 2;
    }
    if (ach_open(&chan, argv[1], NULL) != ACH_OK || ach_channel_info(&chan, &info) != ACH_OK) {
        fprintf(stderr, "logger: %s\n", ach_errstr());
        return 1;
    }
    buf = malloc((size_t)info.capacity); /* no message is larger */
    if (!buf)
        return 1;
    for (;;) {
        size_t size;

        r = ach_get(&chan, buf, (size_t)info.capacity, &size, &limit, ACH_O_WAIT | ACH_O_RELTIME);
        if (!ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME))
            break;
        note(&chan, size, r);
    }
    free(buf);
    ach_close(&chan);
    return r == ACH_TIMEOUT ? 0 : 1;
}
