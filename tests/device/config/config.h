/* SPDX-License-Identifier: BSD-3-Clause */
/* config.h - helpers for tests of configuration files */
#ifndef TEST_CONFIG_H
#define TEST_CONFIG_H

#include <ach/config.h>
#include <check.h>

/* A literal that may contain NUL bytes, and its size without the terminating NUL. */
#define BYTES(literal) (literal), sizeof(literal) - 1

static inline ach_config_t *config_of(const char *text)
{
    ach_config_t *config = NULL;

    if (ach_config_parse(text, strlen(text), "t", &config) != ACH_OK) {
        fprintf(stderr, "refused: %s\n%s", text, ach_config_errors(NULL));
        exit(1);
    }
    return config;
}

static inline void check_text(const char *got, const char *want, const char *file, int line,
                              const char *about)
{
    if (got && strcmp(got, want) == 0)
        return;
    fprintf(stderr, "%s:%d: of: %s\n  got:  %s\n  want: %s\n", file, line, about,
            got ? got : "NULL", want);
    check_failures++;
}

#define CHECK_TEXT(got, want) check_text((got), (want), __FILE__, __LINE__, #got)

/* What ach_config_print writes; the caller frees it. */
static inline char *printed(const ach_config_t *config)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    REQUIRE(out != NULL);
    ach_config_print(config, out);
    fclose(out);
    return text;
}

/* Write a file of the test, in the test's own directory. */
static inline void write_file(const char *name, const char *bytes, size_t size)
{
    FILE *f = fopen(name, "w");

    REQUIRE(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

#endif
