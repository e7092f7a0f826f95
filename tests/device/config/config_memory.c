/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config_memory.c - each allocation fails once
 *
 * The linker redirects the library's allocations here (--wrap). Whichever fails,
 * the library returns an error status, leaks nothing and uses no NULL pointer.
 */
#include <stdarg.h>

#include "config.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

/* The number of allocations that succeed before one fails; below 0 none fails. */
static int left = -1;

static bool fails(void)
{
    if (left < 0)
        return false;
    return left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

static void use(ach_config_t *config)
{
    ach_section_t *root = ach_config_root(config), *s = NULL;

    while ((s = ach_section_next(root, "driver", s))) {
        ach_section_path(s, "map", "");
        ach_section_int(s, "map", 0);
        ach_section_int(s, "absent", 0);
        ach_section_refuse(s, "none", 0, "one");
    }
    CHECK(ach_config_warnings(config) != NULL && ach_config_errors(config) != NULL);
}

/* A text for which the arena needs many chunks. */
static void make_text(char *text)
{
    char *at = text;
    int i;

    at += sprintf(at, "define base driver (map \"m\" t (a [1 2 3]) u (b 1 c 2 d 3) v () w ())\n");
    for (i = 0; i < 100; i++)
        at += sprintf(at, "base (x%d [1 2 3 4 5 6 7 8 9 10 \"%0200d\"] x%d 2)\n", i, i, i);
}

int main(void)
{
    static char text[100000];
    enum ach_status r = ACH_BUG;
    int n;

    make_text(text);
    for (n = 0; n < 1000; n++) {
        ach_config_t *config = NULL;

        left = n;
        r = ach_config_parse(text, strlen(text), "d/t", &config);
        CHECK(r == ACH_OK || r == ACH_FAILED_SYSCALL);
        CHECK((r == ACH_OK) == (config != NULL));
        if (config)
            use(config);
        else
            CHECK(ach_config_errors(NULL) != NULL);
        ach_config_destroy(config);
        if (left > 0)
            break;
    }
    CHECK(r == ACH_OK && n > 10 && n < 1000);
    printf("%d allocations failed\n", n);
    left = -1;
    return check_result();
}
