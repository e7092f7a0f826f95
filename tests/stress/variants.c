/* SPDX-License-Identifier: BSD-3-Clause */
/* variants.c - the ways in which two sides wait for each other */
#include "races.h"

/* Mostly spin for a few hundred nanoseconds; at times yield the CPU. */
static void delay(const struct race *r, uint64_t *rng)
{
    uint64_t x = check_random(rng);
    volatile unsigned spin = (unsigned)(x >> 32) % (r->variant->polls ? 200 : 1500);

    if (x % 4 == 3)
        return;
    if (x % 256 == 0)
        sched_yield();
    if (x % 2048 == 4)
        usleep(50);
    while (spin)
        spin--;
}

/* In each round send one ball, and receive it back from each of the others. */
static int serve(struct actor *self, unsigned channels)
{
    const struct race *r = self->arg;
    ach_channel_t out[RACE_CHANNELS], back;
    uint64_t rng = r->seed, round, ball = 0;
    unsigned i;

    for (i = 0; i < channels; i++)
        race_open(r, &out[i], i, false);
    race_open(r, &back, BACK, false);
    for (round = 1; !(ball & LAST_ROUND); round++) {
        ball = ball_next(r, round);
        round_begin(r, round);
        delay(r, &rng);
        ball_send(&out[check_random(&rng) % channels], ball);
        actor_step(self);
        for (i = 0; i < r->variant->others; i++)
            REQUIRE(ball_receive_soon(&back, r->variant->polls) == ball);
        actor_step(self);
    }
    __atomic_store_n(&r->shared->rounds, round - 1, __ATOMIC_RELEASE);
    for (i = 0; i < channels; i++)
        CHECK_OK(ach_close(&out[i]));
    CHECK_OK(ach_close(&back));
    return check_failures;
}

static int serve_one(struct actor *self)
{
    return serve(self, 1);
}

static int serve_several(struct actor *self)
{
    return serve(self, RACE_CHANNELS);
}

static int answer(struct actor *self)
{
    const struct race *r = self->arg;
    ach_channel_t in, back;
    uint64_t rng = r->seed + 1 + self->index, ball;

    race_open(r, &in, 0, r->variant->readonly);
    race_open(r, &back, BACK, false);
    do {
        delay(r, &rng);
        ball = ball_receive(&in, check_random(&rng) & ACH_O_LAST);
        actor_step(self);
        delay(r, &rng);
        ball_send(&back, ball);
        actor_step(self);
    } while (!(ball & LAST_ROUND));
    CHECK_OK(ach_close(&in));
    CHECK_OK(ach_close(&back));
    return check_failures;
}

/* Waits for several channels at once. */
static int answer_several(struct actor *self)
{
    const struct race *r = self->arg;
    ach_channel_t in[RACE_CHANNELS], back;
    ach_wait_item_t items[RACE_CHANNELS];
    uint64_t rng = r->seed + 1, ball = 0;
    unsigned i;

    for (i = 0; i < RACE_CHANNELS; i++) {
        race_open(r, &in[i], i, false);
        items[i].chan = &in[i];
    }
    race_open(r, &back, BACK, false);
    while (!(ball & LAST_ROUND)) {
        delay(r, &rng);
        REQUIRE_OK(ach_wait(items, RACE_CHANNELS, NULL, 0));
        for (i = 0; i < RACE_CHANNELS; i++)
            if (items[i].status == ACH_OK)
                ball = ball_receive(&in[i], 0);
        actor_step(self);
        delay(r, &rng);
        ball_send(&back, ball);
        actor_step(self);
    }
    for (i = 0; i < RACE_CHANNELS; i++)
        CHECK_OK(ach_close(&in[i]));
    CHECK_OK(ach_close(&back));
    return check_failures;
}

/* Wait until canceled, then confirm that on channel BACK. */
static int wait_canceled(struct actor *self)
{
    struct race *r = self->arg;
    ach_channel_t back;
    uint64_t rng = r->seed + 1, round;
    bool last = false;

    race_open(r, &back, BACK, false);
    for (round = 1; !last; round++) {
        uint64_t unused;
        size_t size;

        delay(r, &rng);
        REQUIRE(ach_get(&r->canceled, &unused, sizeof(unused), &size, NULL, ACH_O_WAIT) ==
                ACH_CANCELED);
        actor_step(self);
        last = __atomic_load_n(&r->shared->stop, __ATOMIC_ACQUIRE) == 2;
        __atomic_store_n(&r->canceled.cancel, 0, __ATOMIC_SEQ_CST);
        ball_send(&back, round);
        actor_step(self);
    }
    CHECK_OK(ach_close(&back));
    return check_failures;
}

static int cancel_rounds(struct actor *self, void (*cancel)(struct race *))
{
    struct race *r = self->arg;
    ach_channel_t back;
    uint64_t rng = r->seed, round = 0;
    bool last;

    race_open(r, &back, BACK, false);
    do {
        round_begin(r, ++round);
        delay(r, &rng);
        last = __atomic_load_n(&r->shared->stop, __ATOMIC_ACQUIRE) == 1;
        if (last)
            __atomic_store_n(&r->shared->stop, 2, __ATOMIC_RELEASE);
        cancel(r);
        actor_step(self);
        REQUIRE(ball_receive(&back, 0) == round);
        actor_step(self);
    } while (!last);
    __atomic_store_n(&r->shared->rounds, round, __ATOMIC_RELEASE);
    CHECK_OK(ach_close(&back));
    return check_failures;
}

static void cancel_directly(struct race *r)
{
    CHECK_OK(ach_cancel(&r->canceled, NULL));
}

static int serve_cancel(struct actor *self)
{
    return cancel_rounds(self, cancel_directly);
}

static struct race *signalled;

static void on_signal(int number)
{
    (void)number;
    ach_cancel(&signalled->canceled, NULL);
}

static void cancel_by_signal(struct race *r)
{
    REQUIRE(pthread_kill(__atomic_load_n(&r->waiter, __ATOMIC_ACQUIRE), SIGUSR1) == 0);
}

/* The handler runs in the waiting thread, whose system calls SA_RESTART restarts. */
static int wait_signalled(struct actor *self)
{
    struct race *r = self->arg;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    signalled = r;
    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
    __atomic_store_n(&r->waiter, pthread_self(), __ATOMIC_RELEASE);
    return wait_canceled(self);
}

static int serve_signal(struct actor *self)
{
    struct race *r = self->arg;

    while (!__atomic_load_n(&r->waiter, __ATOMIC_ACQUIRE))
        sched_yield();
    return cancel_rounds(self, cancel_by_signal);
}

const struct variant race_variants[] = {
    {.name = "one waits", .server = serve_one, .other = answer, .others = 1},
    {.name = "ach_wait on several", .server = serve_several, .other = answer_several, .others = 1},
    {.name = "read-only", .server = serve_one, .other = answer, .others = 1, .readonly = true},
    {.name = "spinning", .server = serve_one, .other = answer, .others = 1, .spin_ns = 3000},
    {.name = "the server polls", .server = serve_one, .other = answer, .others = 1, .polls = 20000},
    {.name = "many wait", .server = serve_one, .other = answer, .others = RACE_WAITERS},
    {.name = "waiters are killed", .server = serve_one, .other = answer, .others = 1, .victims = 3},
    {.name = "cancel",
     .server = serve_cancel,
     .other = wait_canceled,
     .others = 1,
     .one_process = true},
    {.name = "one waits, lowered",
     .server = serve_one,
     .other = answer,
     .others = 1,
     .lowered = true},
    {.name = "ach_wait on several, lowered",
     .server = serve_several,
     .other = answer_several,
     .others = 1,
     .lowered = true},
    {.name = "many wait, lowered",
     .server = serve_one,
     .other = answer,
     .others = RACE_WAITERS,
     .lowered = true},
    {.name = "waiters are killed, lowered",
     .server = serve_one,
     .other = answer,
     .others = 1,
     .victims = 3,
     .lowered = true},
    {.name = "cancel, lowered",
     .server = serve_cancel,
     .other = wait_canceled,
     .others = 1,
     .one_process = true,
     .lowered = true},
    {.name = "cancel in a signal handler",
     .server = serve_signal,
     .other = wait_signalled,
     .others = 1,
     .one_process = true,
     .handler = true},
};

const unsigned race_variant_count = sizeof(race_variants) / sizeof(race_variants[0]);
