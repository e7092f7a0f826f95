/* SPDX-License-Identifier: BSD-3-Clause */
#include "scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_SIZE 64u

static struct {
    struct policy *policy;
    struct sched_hooks hooks;
    struct fiber main;
    struct actor actors[SCHED_MAX];
    int n;
    struct actor *current;
    bool locked;
    struct actor *owner; /* of the lock; NULL while main holds it */
    bool stopping;
    uint64_t steps, budget;
    struct {
        int id;
        enum shim_step at;
        bool killed;
    } log[LOG_SIZE];
    uint64_t logged;
    uint64_t taken[SHIM_STEPS]; /* in all runs */
} s;

static const char *const step_names[] = {
#define STEP(label) #label,
#include "steps.def"
#undef STEP
    "SHIM_LOCK", "SHIM_UNLOCK", "SHIM_COPY_IN", "SHIM_COPY_OUT", "SHIM_SLEEP", "SHIM_RETIRE",
};

_Static_assert(sizeof(step_names) / sizeof(step_names[0]) == SHIM_STEPS, "a name for each step");

const char *shim_step_name(enum shim_step at)
{
    return step_names[at];
}

void sched_reset(struct policy *p, const struct sched_hooks *hooks, uint64_t budget)
{
    if (!s.main.stack)
        fiber_adopt(&s.main);
    s.policy = p;
    s.hooks = *hooks;
    s.n = 0;
    s.current = NULL;
    s.locked = false;
    s.owner = NULL;
    s.stopping = false;
    s.steps = 0;
    s.budget = budget;
    s.logged = 0;
}

struct actor *sched_current(void)
{
    return s.current;
}

struct actor *sched_actor(int id)
{
    return &s.actors[id];
}

uint64_t sched_steps(void)
{
    return s.steps;
}

uint64_t sched_taken(enum shim_step at)
{
    return s.taken[at];
}

bool sched_over_budget(void)
{
    return s.steps > s.budget;
}

static void note(const struct actor *a, bool killed)
{
    s.log[s.logged % LOG_SIZE].id = a->id;
    s.log[s.logged % LOG_SIZE].at = a->at;
    s.log[s.logged % LOG_SIZE].killed = killed;
    s.logged++;
}

void sched_print_log(void)
{
    uint64_t i = s.logged > LOG_SIZE ? s.logged - LOG_SIZE : 0;

    for (; i < s.logged; i++)
        fprintf(stderr, "  actor %d %s%s\n", s.log[i % LOG_SIZE].id,
                step_names[s.log[i % LOG_SIZE].at], s.log[i % LOG_SIZE].killed ? " killed" : "");
}

static void ready_all(enum actor_state from)
{
    int i;

    for (i = 0; i < s.n; i++)
        if (s.actors[i].state == from)
            s.actors[i].state = ACTOR_READY;
}

static void die(void)
{
    longjmp(s.current->end, 1);
}

/* The actor to run next; NULL: none can. If the policy kills the current actor, does not return. */
static struct actor *choose(void)
{
    struct sched_point point = {.current = s.current};
    int i, k;

    point.goes_on = s.current && s.current->state == ACTOR_READY;
    if (point.goes_on)
        point.ready[point.n++] = s.current->id;
    for (i = 0; i < s.n; i++)
        if (s.actors[i].state == ACTOR_READY && &s.actors[i] != s.current)
            point.ready[point.n++] = i;
    if (point.n == 0)
        return NULL;
    k = s.policy->pick(s.policy, &point);
    if (k == SCHED_KILL) {
        note(s.current, true);
        if (s.hooks.killed)
            s.hooks.killed(s.current);
        die();
    }
    return &s.actors[point.ready[k]];
}

/* Let the policy choose. Returns when this actor is chosen again. */
static void give_way(void)
{
    struct actor *self = s.current;
    struct actor *next = choose();

    if (next != self) {
        s.current = next;
        fiber_switch(&self->fiber, next ? &next->fiber : &s.main, false);
    }
    if (s.stopping || s.hooks.stop())
        die();
}

void shim_step(enum shim_step at)
{
    s.hooks.done(s.current);
    if (!s.current)
        return;
    s.current->at = at;
    if (++s.steps > s.budget || s.stopping || s.hooks.stop())
        die();
    give_way();
    note(s.current, false);
    s.taken[at]++;
    if (s.hooks.runs)
        s.hooks.runs(s.current);
}

static void release(void)
{
    s.locked = false;
    s.owner = NULL;
    ready_all(ACTOR_BLOCKED);
}

static void ended(struct actor *a)
{
    int i;

    if (s.locked && s.owner == a)
        release();
    for (i = 0; i < s.n; i++)
        if (s.actors[i].state == ACTOR_LATER && s.actors[i].after == a->id)
            s.actors[i].state = ACTOR_READY;
}

static void actor_main(void *arg)
{
    struct actor *next;

    (void)arg;
    if (setjmp(s.current->end) == 0) {
        s.current->body(s.current->arg);
        s.current->state = ACTOR_DONE;
    } else {
        s.current->state = ACTOR_KILLED;
    }
    s.hooks.done(s.current);
    ended(s.current);
    next = s.stopping ? NULL : choose();
    arg = s.current;
    s.current = next;
    fiber_switch(&((struct actor *)arg)->fiber, next ? &next->fiber : &s.main, true);
}

struct actor *sched_add(void (*body)(void *), void *arg, int after)
{
    struct actor *a = &s.actors[s.n];

    if (s.n == SCHED_MAX)
        abort();
    a->id = s.n++;
    a->state = after < 0 ? ACTOR_READY : ACTOR_LATER;
    a->after = after;
    a->body = body;
    a->arg = arg;
    fiber_prepare(&a->fiber, actor_main, NULL);
    return a;
}

static void enter(struct actor *a)
{
    s.current = a;
    fiber_switch(&s.main, &a->fiber, false);
    s.current = NULL;
}

void sched_run(void)
{
    struct actor *first = choose();

    if (first)
        enter(first);
}

void sched_stop(void)
{
    int i;

    s.stopping = true;
    for (i = 0; i < s.n; i++)
        if (s.actors[i].state != ACTOR_DONE && s.actors[i].state != ACTOR_KILLED)
            enter(&s.actors[i]);
}

bool sched_locked(void)
{
    return s.locked;
}

struct actor *sched_lock_owner(void)
{
    return s.owner;
}

enum ach_status sched_lock(void)
{
    while (s.locked) {
        if (!s.current || (s.policy->gives_up && s.policy->gives_up(s.policy)))
            return ACH_LOCKED;
        s.current->state = ACTOR_BLOCKED;
        give_way();
    }
    s.locked = true;
    s.owner = s.current;
    return ACH_OK;
}

void sched_unlock(void)
{
    release();
}

void sched_sleep(const uint32_t *word, uint32_t expected)
{
    if (__atomic_load_n(word, __ATOMIC_RELAXED) != expected)
        return;
    s.current->state = ACTOR_ASLEEP;
    give_way();
}

void sched_wake(void)
{
    ready_all(ACTOR_ASLEEP);
}
