/* SPDX-License-Identifier: BSD-3-Clause */
#include "schemafile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

bool schema_read(const char *file, char **bytes, size_t *size)
{
    FILE *f = fopen(file, "re");
    bool read = false;

    *bytes = malloc(ACH_TYPE_SCHEMA_MAX + 1);
    if (!f || !*bytes) {
        complain("cannot read the schema %s: %s", file, strerror(errno));
    } else {
        errno = 0;
        *size = fread(*bytes, 1, ACH_TYPE_SCHEMA_MAX + 1, f);
        if (ferror(f))
            complain("cannot read the schema %s: %s", file, strerror(errno));
        else if (*size > ACH_TYPE_SCHEMA_MAX)
            complain("the schema %s is larger than %d bytes", file, ACH_TYPE_SCHEMA_MAX);
        else
            read = true;
    }
    if (f)
        fclose(f);
    if (!read)
        free(*bytes);
    return read;
}
