/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "../src/util/printable.h"
#include "format.h"
#include "path.h"
#include "property.h"

typedef void write_t(const struct value *v, FILE *to);

static void write_print(const struct value *v, FILE *to)
{
    value_print(v, 2, to);
}

static char *written(write_t *write, const struct value *v, bool lines)
{
    char *text = NULL;
    size_t size, i, n;
    FILE *f = open_memstream(&text, &size);

    HOLDS(f != NULL);
    write(v, f);
    HOLDS(fclose(f) == 0);
    for (i = 0; i < size; i += n) {
        n = lines && text[i] == '\n' ? 1 : printable_length(text + i, size - i);
        HOLDS(n > 0);
    }
    return text;
}

char *formats_write(const struct value *v)
{
    free(written(write_print, v, true));
    free(written(value_yaml, v, true));
    free(written(value_csv, v, false));
    return written(value_json, v, false);
}

void formats_find(const struct value *v)
{
    struct value_paths paths = {.count = 0};
    struct value found;
    size_t i;

    if (value_paths_of(&paths, v, VALUE_SPREAD_EXAMPLE) == ACH_OK)
        for (i = 0; i < paths.count; i++)
            value_find(v, paths.paths[i], &found); /* may fail if two fields have one name */
    value_paths_finish(&paths);
}
