/* SPDX-License-Identifier: BSD-3-Clause */
/* static.c - a program without a dynamic linker, which cannot be made part of a simulation */
#include <unistd.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        for (;;)
            pause();
    return 0;
}
