/* SPDX-License-Identifier: BSD-3-Clause */
/* count.c - print how many instructions put and get take, one function per line */
#include <math.h>
#include <string.h>

#include "channels.h"

#define LIMIT_SECONDS 120u

static int count_all(void)
{
    const struct counted *c;

    for (c = counted; c->op; c++) {
        double n = instructions_in(c->symbol, c->op->name);

        if (isnan(n)) {
            fputs("ach-count: valgrind could not count\n", stderr);
            return 1;
        }
        printf("%s %.1f\n", c->word, n);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--repeat") == 0)
        return counted_repeat(argv[2]);
    if (argc != 1) {
        fputs("usage: ach-count\n", stderr);
        return 2;
    }
    return supervise(count_all, LIMIT_SECONDS);
}
