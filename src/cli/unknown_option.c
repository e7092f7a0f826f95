/* SPDX-License-Identifier: BSD-3-Clause */
#include "unknown_option.h"

#include <stdlib.h>
#include <string.h>

#include "suggest.h"

#define OPTIONS_MAX 64
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789-"

/* The name of the long option in a line of the help such as "  -j, --json"; NULL: none. */
static char *option_in(char *line)
{
    char *word = line + strspn(line, " ");

    if (word == line)
        return NULL;
    if (word[0] == '-' && word[1] != '-' && strncmp(word + 1 + (word[1] != '\0'), ", ", 2) == 0)
        word += 4;
    return strncmp(word, "--", 2) == 0 ? word + 2 : NULL;
}

/* Modifies help: the names point into it. */
static void options_of(char *help, struct option longs[OPTIONS_MAX + 1])
{
    char *line, *rest;
    size_t n = 0;

    for (line = strtok_r(help, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *name = option_in(line);

        if (!name || n == OPTIONS_MAX)
            continue;
        name[strspn(name, NAME_LETTERS)] = '\0';
        longs[n++].name = name;
    }
}

const char *unknown_option(const char *help, const char *word)
{
    struct option longs[OPTIONS_MAX + 1] = {0};
    char *text = strdup(help);
    const char *sentence = "";

    if (text) {
        options_of(text, longs);
        sentence = suggest_option(longs, word);
    }
    free(text);
    return sentence;
}
