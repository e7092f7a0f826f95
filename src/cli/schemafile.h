/* SPDX-License-Identifier: BSD-3-Clause */
/* schemafile.h - read a schema from its file */
#ifndef CLI_SCHEMAFILE_H
#define CLI_SCHEMAFILE_H

#include <stdbool.h>
#include <stddef.h>

/* Read a file of up to ACH_TYPE_SCHEMA_MAX bytes, to be freed. False after complaining. */
bool schema_read(const char *file, char **bytes, size_t *size);

#endif
