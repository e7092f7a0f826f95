/* SPDX-License-Identifier: BSD-3-Clause */
/* race.c - run two sides until enough rounds are done, or both are stuck */
#include "lower.h"
#include "races.h"

#define JOIN_LIMIT_MS ((long)check_time(30000))

static void channel_name(char name[16], unsigned which)
{
    snprintf(name, 16, "race-%u", which);
}

void race_open(const struct race *r, ach_channel_t *chan, unsigned which, bool readonly)
{
    ach_attr_t attr;
    char name[16];

    channel_name(name, which);
    ach_attr_init(&attr);
    if (r->heap)
        ach_attr_set_shm(&attr, r->shm[which]);
    ach_attr_set_readonly(&attr, readonly);
    ach_attr_set_spin(&attr, r->variant->spin_ns);
    ach_attr_set_lock_timeout(&attr, 60ull * 1000000000u);
    REQUIRE_OK(ach_open(chan, name, &attr));
}

static void channels_make(struct race *r)
{
    ach_create_attr_t attr;
    ach_channel_t chan;
    char name[16];
    unsigned i;

    for (i = 0; i <= RACE_CHANNELS; i++) {
        ach_create_attr_init(&attr);
        if (r->heap)
            ach_create_attr_set_map(&attr, ACH_MAP_ANON);
        ach_create_attr_set_readonly_wake(&attr, r->variant->readonly);
        ach_create_attr_set_anticipated(&attr, r->variant->lowered);
        channel_name(name, i);
        REQUIRE_OK(ach_create(name, 16, 16, &attr));
        if (r->heap)
            ach_create_attr_get_shm(&attr, &r->shm[i]);
        if (r->variant->lowered) {
            race_open(r, &chan, i, false);
            lower_begin(&chan);
            CHECK_OK(ach_close(&chan));
        }
    }
}

static void channels_remove(const struct race *r)
{
    char name[16];
    unsigned i;

    for (i = 0; i <= RACE_CHANNELS; i++) {
        channel_name(name, i);
        if (r->heap)
            free(r->shm[i]);
        else
            CHECK_OK(ach_unlink(name));
    }
}

/*
 * Lower the flags once in each round, at any time of it. Not more often: waking others again and
 * again would hide that a wake was lost. This actor takes no steps.
 */
static int lower_flags(struct actor *self)
{
    const struct race *r = self->arg;
    ach_channel_t chan[RACE_CHANNELS + 1];
    uint64_t rng = r->seed + 7, done = 0, round;
    unsigned i;

    for (i = 0; i <= RACE_CHANNELS; i++)
        race_open(r, &chan[i], i, false);
    while (!__atomic_load_n(&r->shared->stop, __ATOMIC_ACQUIRE)) {
        volatile unsigned spin = (unsigned)(check_random(&rng) % 4000);

        round = __atomic_load_n(&r->shared->round, __ATOMIC_RELAXED);
        if (round == done) {
            sched_yield();
            continue;
        }
        done = round;
        while (spin)
            spin--;
        for (i = 0; i <= RACE_CHANNELS; i++)
            lower_flag(&chan[i], r->heap);
    }
    for (i = 0; i <= RACE_CHANNELS; i++)
        CHECK_OK(ach_close(&chan[i]));
    return check_failures;
}

/* A process that waits for messages until it is killed. */
static pid_t victim_start(const struct race *r)
{
    ach_channel_t chan;
    uint64_t ball;
    size_t size;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid)
        return pid;
    race_open(r, &chan, 0, false);
    for (;;)
        ach_get(&chan, &ball, sizeof(ball), &size, NULL, ACH_O_WAIT | ACH_O_LAST);
}

static void victims_kill(pid_t *pids, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
}

/* Kill and replace each victim, after a random delay. */
static void victims_stir(const struct race *r, pid_t *pids, uint64_t *rng)
{
    unsigned i;

    for (i = 0; i < r->variant->victims; i++) {
        usleep((unsigned)(check_random(rng) % 3000));
        victims_kill(&pids[i], 1);
        pids[i] = victim_start(r);
    }
}

/* The server comes last in the crew, and takes two steps in each round. */
static uint64_t rounds_done(const struct crew *c)
{
    return __atomic_load_n(&c->actors[c->n - 1].steps, __ATOMIC_RELAXED) / 2;
}

/* Stop the race when both the time and the rounds are over; false: stuck, or an actor died. */
static bool watch(struct race *r, struct crew *c, long ms, uint64_t rounds)
{
    uint64_t end = check_now_ns() + (uint64_t)ms * 1000000u, seen = 0;
    uint64_t rng = r->seed;
    pid_t victims[RACE_WAITERS];
    unsigned i, looks = 0;
    bool ok = true;

    for (i = 0; i < r->variant->victims; i++)
        victims[i] = victim_start(r);
    while (ok && !crew_done(c)) {
        check_sleep_ms(LOOK_MS);
        victims_stir(r, victims, &rng);
        if (rounds_done(c) >= rounds && check_now_ns() > end)
            __sync_bool_compare_and_swap(&r->shared->stop, 0, 1);
        ok = !crew_stuck(c, &seen, &looks) && (c->threads || !crew_broken(c));
    }
    victims_kill(victims, r->variant->victims);
    return ok;
}

uint64_t race_run(struct race *r, bool threads, long ms, uint64_t rounds)
{
    const struct variant *v = r->variant;
    struct crew c;
    unsigned i;

    channels_make(r);
    if (v->one_process)
        race_open(r, &r->canceled, 0, false);
    crew_init(&c, threads || v->one_process);
    for (i = 0; i < v->others; i++)
        crew_start(&c, v->other, r, i);
    if (v->lowered)
        crew_start(&c, lower_flags, r, 0);
    crew_start(&c, v->server, r, 0);
    if (!CHECK(watch(r, &c, ms, rounds))) {
        fprintf(stderr, "%s: a wake-up was lost, or an actor died, after %llu steps\n", v->name,
                (unsigned long long)crew_steps(&c));
        crew_kill(&c);
    }
    CHECK(crew_join(&c, JOIN_LIMIT_MS));
    crew_finish(&c);
    if (v->one_process)
        CHECK_OK(ach_close(&r->canceled));
    channels_remove(r);
    return r->shared->rounds;
}
