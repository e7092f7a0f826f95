/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "tables.h"

enum ach_status ach_definition_new(const char *name, const char *text, size_t size,
                                   ach_definition_t **definition)
{
    struct ach_definition *d;
    enum ach_status status;

    if (!name || (!text && size) || !definition)
        return ach_errstr_set(ACH_EINVAL, "a definition needs a name and a text");
    if (size > ACH_TYPE_SCHEMA_MAX)
        return ach_errstr_set(ACH_EINVAL, "the definition of %.80s is larger than %d bytes", name,
                              ACH_TYPE_SCHEMA_MAX);
    d = calloc(1, sizeof(*d));
    if (!d)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    status = msg_parse(&d->text, name, text, size);
    if (status == ACH_OK)
        status = msg_tables_make(d);
    if (status == ACH_OK)
        *definition = d;
    else
        ach_definition_free(d);
    return status;
}

const ach_type_t *ach_definition_type(const ach_definition_t *definition)
{
    return definition->types;
}

void ach_definition_free(ach_definition_t *definition)
{
    if (!definition)
        return;
    msg_text_free(&definition->text);
    free(definition->types);
    free(definition->state);
    free(definition->fields);
    free(definition->steps);
    free(definition);
}
