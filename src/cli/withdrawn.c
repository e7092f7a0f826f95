/* SPDX-License-Identifier: BSD-3-Clause */
#include "withdrawn.h"

#include <stddef.h>
#include <string.h>

struct moved {
    const char *verb;
    char letter;
    const char *now;
};

static const struct moved table[] = {
    {"get", 'n', "-c, --count"},
    {"get", 't', "-T, --timeout"},
    {"get", 'p', "-b, --length-prefix"},
    {"put", 'p', "-b, --length-prefix"},
    {"put", 'f', "-F, --file"},
    {"echo", 'n', "-c, --count"},
    {"echo", 'T', "--text"},
    {"hz", 'n', "-c, --count"},
    {"hz", 'w', "-i, --interval"},
    {"bw", 'n', "-c, --count"},
    {"bw", 'w', "-i, --interval"},
    {"watch", 'n', "-c, --count"},
    {"watch", '1', "--once"},
    {"ls", 'n', "--names"},
    {"serve", 'a', "-A, --advertise"},
    {"sim", 's', "-S, --speed"},
    {"sim", 'm', "-M, --model"},
    {"sim", 'p', "--pause"},
    {"sim", 't', "--trace"},
    {"sim", 'l', "--ledger"},
    {"dev print", 'n', "-c, --count"},
    {"dev print", 'l', "-L, --last"},
    {"dev print", 'f', "--follow"},
    {"dev ls", 't', "--transport"},
    {"dev print", 't', "--transport"},
    {"dev cmd", 't', "--transport"},
    {"dev req", 't', "--transport"},
    {"dev prop", 't', "--transport"},
    {"dev ls", 'w', "-T, --timeout"},
    {"dev find", 'w', "-T, --timeout"},
    {"dev print", 'w', "-T, --timeout"},
    {"dev cmd", 'w', "-T, --timeout"},
    {"dev req", 'w', "-T, --timeout"},
    {"dev prop", 'w', "-T, --timeout"},
};

const char *withdrawn_letter(const char *verb, int letter)
{
    size_t i;

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].letter == letter && strcmp(table[i].verb, verb) == 0)
            return table[i].now;
    return NULL;
}
