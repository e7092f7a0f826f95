/* SPDX-License-Identifier: BSD-3-Clause */
/* verbs.c - the table of verbs, in the order of the overview */
#include <string.h>

#include "cli.h"
#include "suggest.h"

const struct verb *const verbs[] = {
    &verb_mk,     &verb_rm,     &verb_chmod,  &verb_file, &verb_ls,   &verb_info,
    &verb_watch,  &verb_hz,     &verb_bw,     &verb_dump, &verb_put,  &verb_get,
    &verb_echo,   &verb_replay, &verb_serve,  &verb_dev,  &verb_sim,  &verb_bench,
    &verb_doctor, &verb_help,   &verb_search, &verb_adv,  &verb_hide, NULL,
};

static bool called(const struct verb *v, const char *name)
{
    size_t i;

    if (strcmp(v->name, name) == 0)
        return true;
    for (i = 0; i < sizeof(v->aliases) / sizeof(v->aliases[0]) && v->aliases[i]; i++) {
        if (strcmp(v->aliases[i], name) == 0)
            return true;
    }
    return false;
}

const struct verb *verb_find(const char *name)
{
    size_t i;

    for (i = 0; verbs[i]; i++) {
        if (called(verbs[i], name))
            return verbs[i];
    }
    return NULL;
}

const char *suggest_verb(const char *name)
{
    struct nearest n = nearest_to(name);
    size_t i, k;

    for (i = 0; verbs[i]; i++) {
        if (!verbs[i]->summary)
            continue;
        nearest_offer(&n, verbs[i]->name);
        for (k = 0; k < sizeof(verbs[i]->aliases) / sizeof(*verbs[i]->aliases); k++)
            if (verbs[i]->aliases[k])
                nearest_offer(&n, verbs[i]->aliases[k]);
    }
    return suggest(&n);
}
