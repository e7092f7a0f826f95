/* SPDX-License-Identifier: BSD-3-Clause */
/* count.c - print how many instructions put and get take, one function per line */
#include <math.h>
#include <string.h>

#include "channels.h"

#define LIMIT_SECONDS 120u

static int count_all(void)
{
    const struct op *op;

    for (op = operations; op->name; op++) {
        double n = op->counted ? instructions_in(op->counted, op->name) : 0;

        if (isnan(n)) {
            fputs("ach-count: valgrind could not count\n", stderr);
            return 1;
        }
        if (op->counted)
            printf("%s %.1f\n", op->counted, n);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--repeat") == 0)
        return operations_repeat(argv[2]);
    if (argc != 1) {
        fputs("usage: ach-count\n", stderr);
        return 2;
    }
    return supervise(count_all, LIMIT_SECONDS);
}
