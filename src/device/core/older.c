/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * older.c - config files of early versions of Player
 *
 *     position:0 ( driver "p2os" port "/dev/ttyS0" )
 *
 * is translated to
 *
 *     driver ( name "p2os" port "/dev/ttyS0" provides ["position:0"] )
 */
#include <ach.h>
#include <string.h>

#include "config/tree.h"
#include "core.h"

static bool is_older(const struct ach_section *s)
{
    ach_place_t place;

    return strchr(s->name, ':') && ach_place_parse(s->name, &place) == ACH_OK &&
           dev_section_find(s, "driver");
}

static ach_status_t translate(struct ach_section *s)
{
    struct dev_value *value = dev_config_alloc(s->config, sizeof(*value));
    struct dev_field *provides = value ? dev_section_field(s, "provides") : NULL;

    if (!provides)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a config file");
    *value = (struct dev_value){.kind = DEV_STRING, .at = s->at, .text = s->name};
    provides->at = s->at;
    provides->values = value;
    provides->count = 1;
    provides->tuple = true;
    dev_section_find(s, "driver")->name = "name";
    s->name = "driver";
    return ACH_OK;
}

ach_status_t dev_older_translate(ach_section_t *root)
{
    ach_status_t status = ACH_OK;
    struct ach_section *s;

    for (s = root->first; s && status == ACH_OK; s = s->next)
        if (is_older(s))
            status = translate(s);
    return status;
}
