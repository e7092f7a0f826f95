/* SPDX-License-Identifier: BSD-3-Clause */
/* static.c - a statically linked program: nothing can be preloaded into it */
#include <unistd.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        for (;;)
            pause();
    return 0;
}
