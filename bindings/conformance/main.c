/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - run a script of operations and print a trace, see README.md */
#include "conformance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *prefix;
static unsigned line_now;

void script_bad(const char *what, const char *word)
{
    fprintf(stderr, "line %u: %s: %s\n", line_now, what, word);
    exit(2);
}

static void *must(void *memory)
{
    if (!memory) {
        perror("conformance");
        exit(2);
    }
    return memory;
}

uint64_t number_of(const char *word, int base)
{
    char *end;
    uint64_t n;

    errno = 0;
    n = strtoull(word, &end, base);
    if (errno || end == word || *end)
        script_bad("not a number", word);
    return n;
}

static unsigned digit_of(char c, const char *word)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    if (!at)
        script_bad("not hexadecimal", word);
    return (unsigned)(at - digits);
}

/* "-", "0aff" or "ab*100" */
struct bytes bytes_of(const char *word)
{
    const char *star = strchr(word, '*');
    size_t digits = strcmp(word, "-") == 0 ? 0 : star ? (size_t)(star - word) : strlen(word);
    size_t n = digits / 2, times = star ? number_of(star + 1, 10) : 1;
    struct bytes b = {must(malloc(n * times + 1)), n * times};

    for (size_t i = 0; i < b.size; i++) {
        const char *pair = word + 2 * (i % n);

        b.data[i] = (uint8_t)(digit_of(pair[0], word) << 4 | digit_of(pair[1], word));
    }
    return b;
}

void bytes_print(FILE *to, const void *data, size_t size)
{
    const uint8_t *byte = data;

    if (size == 0)
        fputc('-', to);
    for (size_t i = 0; i < size; i++)
        fprintf(to, "%02x", byte[i]);
}

bool words_flag(const struct words *w, size_t from, const char *flag)
{
    for (size_t i = from; i < w->count; i++)
        if (strcmp(w->word[i], flag) == 0)
            return true;
    return false;
}

const char *words_value(const struct words *w, size_t from, const char *key)
{
    size_t n = strlen(key);

    for (size_t i = from; i < w->count; i++)
        if (strncmp(w->word[i], key, n) == 0 && w->word[i][n] == '=')
            return w->word[i] + n + 1;
    return NULL;
}

const char *channel_name(const char *word)
{
    size_t room = strlen(prefix) + strlen(word) + 1;
    char *name;

    if (word[0] != '$')
        return word;
    name = must(malloc(room)); /* kept: a script has few */
    snprintf(name, room, "%s%s", prefix, word + 1);
    return name;
}

const char *status_name(enum ach_status status)
{
    return ach_result_to_string(status) + strlen("ACH_");
}

const struct operation *operation_find(const struct words *w)
{
    static const struct operation *const tables[] = {channel_operations, device_operations};

    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
        for (const struct operation *o = tables[t]; o->name; o++)
            if (strcmp(o->name, w->word[0]) == 0) {
                if (w->count < o->words)
                    script_bad("too few words", w->word[0]);
                return o;
            }
    script_bad("no such operation", w->word[0]);
}

static void operation_run(const struct words *w)
{
    char *text = NULL;
    size_t size;
    FILE *results = must(open_memstream(&text, &size));
    enum ach_status status = operation_find(w)->run(w, results);

    fclose(results);
    printf("%u %s %s%s\n", line_now, w->word[0], status_name(status), text);
    fflush(stdout);
    free(text);
}

/* Split a line, which is changed. */
static void words_split(struct words *w, char *line)
{
    char *rest = NULL;

    *w = (struct words){0};
    for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        if (w->count == WORDS_MAX)
            script_bad("too many words", line);
        w->word[w->count++] = word;
    }
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    struct words w;
    FILE *script;

    if (argc != 3) {
        fprintf(stderr, "usage: conformance PREFIX SCRIPT\n");
        return 2;
    }
    prefix = argv[1];
    script = must(fopen(argv[2], "r"));
    for (line_now = 1; getline(&line, &room, script) != -1; line_now++) {
        words_split(&w, line);
        if (w.count > 0 && w.word[0][0] != '#')
            operation_run(&w);
    }
    free(line);
    fclose(script);
    return 0;
}
