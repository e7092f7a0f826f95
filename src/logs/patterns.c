/* SPDX-License-Identifier: BSD-3-Clause */
/* patterns.c - topics that were chosen by patterns of their names */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "keys.h"
#include "logs.h"

#define NAMES_MAX 300 /* bytes of names in a hint */

bool logs_matches(const struct logs_topic *t, const char *const *patterns, size_t n)
{
    const char *channel = logs_metadata(t, LOGS_KEY_CHANNEL);
    size_t i;

    for (i = 0; i < n; i++)
        if (fnmatch(patterns[i], t->name, 0) == 0 ||
            (channel && fnmatch(patterns[i], channel, 0) == 0))
            return true;
    return n == 0;
}

/* Of the same name, before it: recordings that are merged have such. */
static bool patterns_repeated(const struct logs_source *s, size_t topic)
{
    size_t i;

    for (i = 0; i < topic; i++)
        if (strcmp(logs_topic(s, i)->name, logs_topic(s, topic)->name) == 0)
            return true;
    return false;
}

static void patterns_names(const struct logs_source *s, char names[NAMES_MAX + 8])
{
    size_t used = 0, i;

    names[0] = '\0';
    for (i = 0; i < logs_topics(s); i++) {
        const char *name = logs_topic(s, i)->name;

        if (patterns_repeated(s, i))
            continue;
        if (used + strlen(name) + 2 > NAMES_MAX) {
            strcpy(names + used, ", ...");
            return;
        }
        used += (size_t)snprintf(names + used, NAMES_MAX - used, "%s%s", used ? ", " : "", name);
    }
}

bool logs_patterns_fit(const struct logs_source *s, const char *const *patterns, size_t n,
                       logs_complain *complain)
{
    char names[NAMES_MAX + 8];
    bool any = n == 0;
    size_t i, t;

    patterns_names(s, names);
    for (i = 0; i < n; i++) {
        for (t = 0; t < logs_topics(s) && !logs_matches(logs_topic(s, t), &patterns[i], 1); t++)
            ;
        if (t < logs_topics(s))
            any = true;
        else if (*names)
            complain("no topic matches '%s'; there are: %s", patterns[i], names);
        else
            complain("no topic matches '%s'; there are none", patterns[i]);
    }
    return any;
}
