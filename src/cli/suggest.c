/* SPDX-License-Identifier: BSD-3-Clause */
#include "suggest.h"

#include "cli.h"

const char *suggest(const struct nearest *n)
{
    static char text[NEAREST_LENGTH_MAX + 32];

    if (!n->best)
        return "";
    snprintf(text, sizeof(text), "; did you mean '%s'?", n->best);
    return text;
}

struct channel_search {
    struct nearest nearest;
    char best[ACH_CHAN_NAME_MAX];
};

static enum ach_status offer_channel(void *cx, const char *name, enum ach_map map)
{
    struct channel_search *s = cx;

    (void)map;
    nearest_offer(&s->nearest, name);
    if (s->nearest.best == name) {
        snprintf(s->best, sizeof(s->best), "%s", name);
        s->nearest.best = s->best;
    }
    return ACH_OK;
}

const char *suggest_channel(const char *name)
{
    struct channel_search s = {.nearest = nearest_to(name)};

    ach_list(offer_channel, &s);
    return suggest(&s.nearest);
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
