/* SPDX-License-Identifier: BSD-3-Clause */
#include "suggest.h"

#include <ach.h>
#include <stdio.h>

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

const char *suggest_option(const struct option *longs, const char *word)
{
    static char text[NEAREST_LENGTH_MAX + 32];
    char written[NEAREST_LENGTH_MAX];
    struct nearest n;

    if (strncmp(word, "--", 2) != 0)
        return "";
    snprintf(written, sizeof(written), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    n = nearest_to(written);
    for (; longs->name; longs++) {
        if (strncmp(longs->name, written, strlen(written)) == 0)
            return "";
        nearest_offer(&n, longs->name);
    }
    if (!n.best)
        return "";
    snprintf(text, sizeof(text), "did you mean '--%s'?", n.best);
    return text;
}
