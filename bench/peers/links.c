/* SPDX-License-Identifier: BSD-3-Clause */
/* links.c - measure a scenario: a row for each contender, in turn */
#include <string.h>

#include "peers.h"

#define LONG_SECONDS 600.0
#define QUICK_SCALE 0.5
#define LARGE (1024u * 1024u) /* copying such a message takes more time than all else */

static void one_turn(struct row *row, const struct contender *c, const struct setting *s,
                     unsigned round)
{
    struct outcome once = {0};

    run(c, s, &once);
    if (once.why[0] && !bench.interrupted) /* the machine may be busy: once more */
        run(c, s, &once);
    row_add(row, round, &once);
}

static void measure_round(const struct group *g, const struct setting *s, unsigned round)
{
    const struct scenario *scenario = g->what;
    unsigned i, rounds = rounds_of(g);

    for (i = 0; i < contenders_here.count && !bench.interrupted; i++) {
        const struct entry *e = &contenders_here.entry[i];
        struct row *row;
        const char *why;

        if (e->left_out || (s->untouched && !e->c->copies_nothing))
            continue;
        row = row_of(g, e->c->name, kind_names[e->c->kind], g->x);
        row->aside = e->c->copies_nothing && s->size >= LARGE;
        why = run_possible(e->c, s);
        if (why) {
            snprintf(row->all.why, sizeof(row->all.why), "%s", why);
        } else if (e->c->kind != KIND_LIBRARY || bench.rounds || round < scenario->peer_rounds) {
            progress("%s, %s: round %u of %u, %s", g->name, g->about, round + 1, rounds,
                     e->c->name);
            one_turn(row, e->c, s, round);
        }
    }
}

void links_measure(const struct group *g)
{
    const struct scenario *scenario = g->what;
    struct setting s = setting_complete(scenario->setting);
    unsigned round;

    s.seconds = bench.lasting ? LONG_SECONDS : bench.quick ? s.seconds * QUICK_SCALE : s.seconds;
    for (round = 0; round < rounds_of(g) && !bench.interrupted; round++)
        measure_round(g, &s, round);
}
