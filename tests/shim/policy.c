/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy.h"

#include <check.h>

static bool one_in(struct random_policy *p, unsigned n)
{
    return n && check_random(p->random) % n == 0;
}

static int random_pick(struct policy *policy, const struct sched_point *point)
{
    struct random_policy *p = (struct random_policy *)policy;

    if (!point->goes_on)
        return (int)(check_random(p->random) % (unsigned)point->n);
    if (p->kills && one_in(p, p->kill)) {
        p->kills--;
        return SCHED_KILL;
    }
    if (point->n > 1 && one_in(p, p->change))
        return 1 + (int)(check_random(p->random) % (unsigned)(point->n - 1));
    return 0;
}

static bool random_gives_up(struct policy *policy)
{
    struct random_policy *p = (struct random_policy *)policy;

    return p->impatient && one_in(p, 8);
}

void random_policy_init(struct random_policy *p, uint64_t *random, int kills, bool impatient)
{
    static const unsigned habits[] = {2, 4, 8, 16, 40, 100};

    *p = (struct random_policy){.policy = {random_pick, random_gives_up},
                                .random = random,
                                .change = habits[check_random(random) % 6],
                                .kill = kills ? 20 + (unsigned)(check_random(random) % 200) : 0,
                                .kills = kills,
                                .impatient = impatient};
}

static int choice(struct exhaustive_policy *p, int options)
{
    int k = 0;

    if (options <= 1 || p->at == CHOICES_MAX)
        return 0;
    if (p->at < p->n) {
        k = p->choices[p->at].chosen;
    } else {
        p->choices[p->at].chosen = 0;
        p->choices[p->at].options = (uint8_t)options;
        p->n++;
    }
    p->at++;
    return k;
}

/* Order of the choices: the current actor goes on, each other actor, kill the current one. */
static int exhaustive_pick(struct policy *policy, const struct sched_point *point)
{
    struct exhaustive_policy *p = (struct exhaustive_policy *)policy;
    int changes = point->n;
    int k;

    if (!point->goes_on)
        return choice(p, point->n);
    if (p->preempted == p->preemptions)
        changes = 1;
    k = choice(p, changes + (p->killed < p->kills));
    if (k == changes) {
        p->killed++;
        return SCHED_KILL;
    }
    p->preempted += k > 0;
    return k;
}

void exhaustive_policy_init(struct exhaustive_policy *p, int preemptions, int kills)
{
    *p = (struct exhaustive_policy){
        .policy = {exhaustive_pick, NULL}, .preemptions = preemptions, .kills = kills};
}

bool exhaustive_policy_next(struct exhaustive_policy *p)
{
    p->at = p->preempted = p->killed = 0;
    while (p->n && p->choices[p->n - 1].chosen + 1 == p->choices[p->n - 1].options)
        p->n--;
    if (p->n == 0)
        return false;
    p->choices[p->n - 1].chosen++;
    return true;
}

static void next_turn(struct scripted_policy *p)
{
    p->at++;
    p->arrived = 0;
}

static int index_of(const struct sched_point *point, int id)
{
    int i;

    for (i = 0; i < point->n; i++)
        if (point->ready[i] == id)
            return i;
    return -1;
}

static int scripted_pick(struct policy *policy, const struct sched_point *point)
{
    struct scripted_policy *p = (struct scripted_policy *)policy;
    const struct turn *t = &p->turns[p->at];

    if (p->at < p->n && point->current && point->current->id == t->actor) {
        if (!point->goes_on) {
            next_turn(p);
        } else if ((int)point->current->at == t->until && ++p->arrived >= t->times) {
            next_turn(p);
            if (t->kill)
                return SCHED_KILL;
        }
    }
    while (p->at < p->n && index_of(point, p->turns[p->at].actor) < 0)
        next_turn(p);
    return p->at < p->n ? index_of(point, p->turns[p->at].actor) : 0;
}

void scripted_policy_init(struct scripted_policy *p, const struct turn *turns, int n)
{
    *p = (struct scripted_policy){.policy = {scripted_pick, NULL}, .turns = turns, .n = n};
}
