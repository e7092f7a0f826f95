/* SPDX-License-Identifier: BSD-3-Clause */
/* patterns.c - topics that were chosen by patterns of their names */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "logs.h"

#define NAMES_MAX 300 /* bytes of names in a hint */

/* With "~", a pattern is of the name and the type. */
static bool patterns_typed(const struct logs_topic *t, const char *pattern)
{
    char *full = strchr(pattern, '~') ? logs_typed_name(t) : NULL;
    bool fits = full && fnmatch(pattern, full, 0) == 0;

    free(full);
    return fits;
}

bool logs_matches(const struct logs_topic *t, const char *const *patterns, size_t n)
{
    const char *channel = logs_metadata(t, LOGS_KEY_CHANNEL);
    size_t i;

    for (i = 0; i < n; i++)
        if (fnmatch(patterns[i], t->name, 0) == 0 || patterns_typed(t, patterns[i]) ||
            (channel && fnmatch(patterns[i], channel, 0) == 0))
            return true;
    return n == 0;
}

/* One that was named already: recordings that are merged have such. */
static bool patterns_repeated(const struct logs_source *s, size_t topic)
{
    size_t i;

    for (i = 0; i < topic; i++)
        if (logs_same_kind(logs_topic(s, i), logs_topic(s, topic)))
            return true;
    return false;
}

/* Is there another of this name, but of another type? */
static bool patterns_ambiguous(const struct logs_source *s, const struct logs_topic *t)
{
    size_t i;

    for (i = 0; i < logs_topics(s); i++)
        if (strcmp(logs_topic(s, i)->name, t->name) == 0 && !logs_same_kind(logs_topic(s, i), t))
            return true;
    return false;
}

/* How much of names is used then; more than NAMES_MAX: it does not fit. */
static size_t patterns_append(char *names, size_t used, const char *name)
{
    if (used + strlen(name) + 2 > NAMES_MAX) {
        strcpy(names + used, ", ...");
        return NAMES_MAX + 1;
    }
    return used + (size_t)snprintf(names + used, NAMES_MAX - used, "%s%s", used ? ", " : "", name);
}

static void patterns_names(const struct logs_source *s, char names[NAMES_MAX + 8])
{
    size_t used = 0, i;

    names[0] = '\0';
    for (i = 0; i < logs_topics(s); i++) {
        const struct logs_topic *t = logs_topic(s, i);
        char *typed;

        if (patterns_repeated(s, i))
            continue;
        typed = patterns_ambiguous(s, t) ? logs_typed_name(t) : NULL;
        used = patterns_append(names, used, typed ? typed : t->name);
        free(typed);
        if (used > NAMES_MAX)
            return;
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
