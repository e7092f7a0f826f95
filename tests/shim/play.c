/* SPDX-License-Identifier: BSD-3-Clause */
#include "play.h"

#include <string.h>

#include "chan.h"
#include "oracle.h"

#define BUDGET 200000u

bool play_strict, play_impatient;

static struct player players[PLAN_ACTORS];
static struct play_options opt;

struct player *play_player(int id)
{
    return &players[id];
}

static void on_done(const struct actor *a)
{
    if (play_strict)
        oracle_observe(a);
    if (opt.listener)
        opt.listener->done();
}

static void on_runs(const struct actor *a)
{
    players[a->id].steps++;
    if (opt.listener)
        opt.listener->runs(a);
    if (opt.meddle)
        opt.meddle();
}

static void on_killed(const struct actor *a)
{
    if (opt.listener)
        opt.listener->killed(a);
}

static void act_once(struct player *p, const struct op *op)
{
    if (opt.listener)
        opt.listener->call((int)(p - players), op);
    if (p->script->writer)
        writer_do(p, op);
    else
        reader_do(p, op);
    if (opt.listener)
        opt.listener->returns((int)(p - players), op);
}

static void act(void *arg)
{
    struct player *p = arg;
    int i, k;

    for (i = 0; i < p->script->n; i++)
        for (k = 0; (k == 0 || k < p->script->ops[i].times) && !oracle_failed(); k++)
            act_once(p, &p->script->ops[i]);
}

static void add_actors(const struct plan *plan)
{
    int i;

    for (i = 0; i < plan->n; i++) {
        players[i] = (struct player){.script = &plan->actors[i], .next_id = (uint32_t)i << 8};
        sched_add(act, &players[i], plan->actors[i].after);
    }
}

static void check_rest(const struct plan *plan)
{
    int i;

    if (sched_over_budget())
        oracle_fail("the run does not end");
    if (oracle_failed() || !play_strict)
        return;
    if (sched_locked())
        oracle_fail("the lock is taken and nobody runs");
    for (i = 0; i < plan->n; i++) {
        if (sched_actor(i)->state == ACTOR_ASLEEP)
            reader_check_asleep(&players[i]);
        else if (sched_actor(i)->state < ACTOR_DONE)
            oracle_fail("actor %d cannot go on", i);
    }
}

/* After any kill the channel must be usable at once: put a last message, read with a new reader. */
static void epilogue(const struct plan *plan)
{
    static struct player last;
    struct script script = {.writer = true};

    last = (struct player){.script = &script, .next_id = 0xff00};
    writer_put(&last, plan->chan.frame_size);
    sched_run();
    if (opt.listener)
        opt.listener->done();
    check_rest(plan);
    if (!oracle_failed() && !oracle_retired(false))
        reader_check_fresh();
}

bool play(const struct plan *plan, struct policy *policy, const struct play_options *options)
{
    static const struct sched_hooks hooks = {on_done, on_runs, on_killed, oracle_failed};

    opt = *options;
    play_strict = !opt.hostile;
    play_impatient = opt.impatient;
    chan_setup(&plan->chan);
    deps_reset(plan->chan.copy_words);
    oracle_reset(&plan->chan);
    sched_reset(policy, &hooks, BUDGET);
    add_actors(plan);
    sched_run();
    if (opt.listener)
        opt.listener->done();
    check_rest(plan);
    if (!oracle_failed() && play_strict && !opt.listener)
        epilogue(plan);
    sched_stop();
    if (!chan_gaps_clean())
        oracle_fail("something was written outside of the channel's parts");
    return !oracle_failed();
}
