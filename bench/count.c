/* SPDX-License-Identifier: BSD-3-Clause */
/* count.c - print how many instructions put and get take, one function per line */
#include <stdio.h>
#include <string.h>

#include "instructions.h"
#include "supervise.h"

#define LIMIT_SECONDS 120u

static int count(void *arg)
{
    struct instructions in[INSTRUCTIONS_MAX];
    unsigned i, n = instructions_count_exactly(in);

    (void)arg;
    if (n < INSTRUCTIONS_MAX) {
        fputs("ach-count: valgrind could not count\n", stderr);
        return 1;
    }
    for (i = 0; i < n; i++)
        printf("%s %.1f\n", in[i].function, in[i].count);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--repeat") == 0)
        return instructions_repeat(argv[2]);
    if (argc != 1) {
        fputs("usage: ach-count\n", stderr);
        return 2;
    }
    return supervise(count, NULL, LIMIT_SECONDS);
}
