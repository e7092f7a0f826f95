/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - any bytes as a configuration file
 *
 * What follows a byte 0xff is a file of its own, inc, which the first may
 * include, and which may include itself.
 */
#include <ach/config.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "property.h"

static char including[256], included[256];

static void make_names(void)
{
    const char *dir = getenv("ACH_DIR");

    snprintf(including, sizeof(including), "%s/text", dir ? dir : "/dev/shm");
    snprintf(included, sizeof(included), "%s/inc", dir ? dir : "/dev/shm");
}

static void write_included(const uint8_t *data, size_t size)
{
    FILE *f = fopen(included, "w");

    HOLDS(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

/* Every error is a line that begins with a file's name. */
static void check_lines(const char *text)
{
    while (*text != '\0') {
        const char *end = strchr(text, '\n');

        HOLDS(end && memchr(text, ':', (size_t)(end - text)));
        text = end + 1;
    }
}

static void read_everything(ach_section_t *section, const char *name)
{
    size_t i, n = ach_section_tuple_count(section, name);

    ach_section_path(section, name, NULL);
    ach_section_int(section, name, 0);
    ach_section_length(section, name, 0);
    ach_section_bool(section, name, false);
    for (i = 0; i <= n && i < 100; i++) {
        const char *text = ach_section_tuple_string(section, name, i, NULL);

        HOLDS(!text || strlen(text) < ACH_CONFIG_FILE_MAX);
        ach_section_tuple_angle(section, name, i, 0);
        ach_section_refuse(section, name, i, "nothing of the kind");
    }
}

static void walk(ach_section_t *section)
{
    ach_section_t *inside = NULL;
    const char *name, *file;
    int line, limit = 0;

    HOLDS(ach_section_line(section) > 0 && *ach_section_file(section));
    ach_section_has(section, "absent");
    while ((name = ach_section_unused(section, 0, &file, &line)) && limit++ < 100) {
        HOLDS(*name && *file && line > 0);
        if (limit % 3 != 0)
            read_everything(section, name);
        else
            ach_section_tuple_count(section, name);
    }
    while ((inside = ach_section_next(section, NULL, inside)) && limit++ < 200)
        walk(inside);
}

static char *print(const ach_config_t *config, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    HOLDS(out != NULL);
    ach_config_print(config, out);
    fclose(out);
    return text;
}

/* What is printed means the same, and prints the same. */
static void check_printed(const ach_config_t *config)
{
    size_t size, size_again;
    char *text = print(config, &size), *again;
    ach_config_t *second = NULL;

    if (size <= ACH_CONFIG_FILE_MAX) {
        HOLDS(ach_config_parse(text, size, "printed", &second) == ACH_OK);
        again = print(second, &size_again);
        HOLDS(size == size_again && memcmp(text, again, size) == 0);
        free(again);
        ach_config_destroy(second);
    }
    free(text);
}

void property_config(const uint8_t *data, size_t size)
{
    const uint8_t *split = size ? memchr(data, 0xff, size) : NULL;
    size_t length = split ? (size_t)(split - data) : size;
    ach_config_t *config = NULL;
    enum ach_status r;

    make_names();
    if (split)
        write_included(split + 1, size - length - 1);
    r = ach_config_parse((const char *)data, length, including, &config);
    HOLDS(r == ACH_OK || r == ACH_EINVAL || (r == ACH_OVERFLOW && size > ACH_CONFIG_FILE_MAX));
    HOLDS((r == ACH_OK) == (config != NULL));
    if (config) {
        check_printed(config);
        check_lines(ach_config_warnings(config));
        walk(ach_config_root(config));
        check_lines(ach_config_warnings(config));
        check_lines(ach_config_errors(config));
    } else {
        HOLDS(*ach_config_errors(NULL));
        check_lines(ach_config_errors(NULL));
    }
    ach_config_destroy(config);
    if (split)
        unlink(included);
}
