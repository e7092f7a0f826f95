/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * talk.c - put numbered messages
 *
 * talk CHANNEL FIRST COUNT SIZE: message number N has its number in the first 8 bytes, and then bytes that
 * follow from it. Prints for each the wall clock's time before and after the put, in nanoseconds.
 *
 * talk CHANNEL spin: puts messages of 64 bytes without any system call of its own, until it is killed.
 */
#include "check.h"

static ach_channel_t chan;

static long long wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void fill(unsigned char *message, uint64_t n, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++)
        message[i] = (unsigned char)(n * 7 + i);
    memcpy(message, &n, sizeof(n));
}

static void spin(void)
{
    unsigned char message[64];
    volatile unsigned pause;
    uint64_t n;

    for (n = 1;; n++) {
        fill(message, n, sizeof(message));
        REQUIRE_OK(ach_put(&chan, message, sizeof(message)));
        for (pause = 0; pause < 100000; pause++)
            ;
    }
}

int main(int argc, char **argv)
{
    uint64_t n, first, count;
    unsigned char *message;
    size_t size;

    REQUIRE(argc == 3 || argc == 5);
    REQUIRE_OK(ach_open(&chan, argv[1], NULL));
    if (argc == 3)
        spin();
    first = strtoull(argv[2], NULL, 10);
    count = strtoull(argv[3], NULL, 10);
    size = strtoull(argv[4], NULL, 10);
    message = malloc(size);
    REQUIRE(message && size >= sizeof(n));
    for (n = first; n < first + count; n++) {
        long long before;

        fill(message, n, size);
        before = wall();
        REQUIRE_OK(ach_put(&chan, message, size));
        printf("%lld %lld\n", before, wall());
    }
    free(message);
    ach_close(&chan);
    return check_result();
}
