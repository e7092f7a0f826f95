/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overhead.c - how long calls take in C, for bindings/overhead/compare-languages
 *
 * overhead CHANNEL BATCHES CALLS prints a line for each operation: for each batch of calls, the
 * nanoseconds that a call took.
 */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NEWEST (ACH_O_LAST | ACH_O_COPY)

static ach_channel_t chan;
static unsigned char message[64];
static size_t size;
static const void *data;

static void check(ach_status_t status)
{
    if (status == ACH_OK || status == ACH_MISSED_FRAME)
        return;
    fprintf(stderr, "overhead: %s\n", ach_result_to_string(status));
    exit(1);
}

static void put(void)
{
    check(ach_put(&chan, message, sizeof(message)));
}

static void get(void)
{
    check(ach_get(&chan, message, sizeof(message), &size, NULL, NEWEST));
}

static void view(void)
{
    check(ach_view(&chan, &data, &size, NULL, NEWEST));
    message[0] = *(const unsigned char *)data;
    check(ach_view_check(&chan));
}

/* Inlined, so that the operation is, too. */
__attribute__((always_inline)) static inline void measure(const char *name, void (*operation)(void),
                                                          char *const *counts)
{
    long calls = atol(counts[1]);
    struct timespec begin, end;

    printf("%s:", name);
    for (long batch = atol(counts[0]); batch > 0; batch--) {
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (long i = 0; i < calls; i++)
            operation();
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf(" %.1f",
               ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
                   (double)calls);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    check(ach_open(&chan, argv[1], NULL));
    measure("put", put, argv + 2);
    measure("get", get, argv + 2);
    measure("view", view, argv + 2);
    check(ach_close(&chan));
}
