/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * polled.c - one side polls a descriptor, the other puts or cancels just then
 *
 * A descriptor is armed within the get that gets the last message. So in most
 * rounds a message goes ahead of the ball, and the ball follows after a delay
 * chosen so that it arrives while the other side arms: half of the delays are
 * evenly distributed over twice the round-trip time of a ball, half are near the
 * time learned from the other side's reports (EARLY, LATE). The server continues
 * only when the ball has come back, so that no later message hides a lost
 * wake-up.
 */
#include "races.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "polled.h"

#define AHEAD (1ull << 62) /* a message ahead of the ball */
#define EARLY (1ull << 61) /* the ball was there right after the message ahead was got */
#define LATE (1ull << 60)  /* the ball was not there then */
#define TOLD (EARLY | LATE)

#define ARMING_NS 3000u
#define STEP_NS 20u
#define DISTANCE_MAX_NS 200000u
#define LOOKS 20000u
#define EDGE_MAX 8

/* How the server times the ball. */
struct aim {
    uint64_t rng;
    uint64_t away_ns;   /* average round-trip time of a ball */
    uint64_t arming_ns; /* estimated time from the message ahead until the other side arms */
};

static void wait_ns(uint64_t ns)
{
    uint64_t end = check_now_ns() + ns;

    while (check_now_ns() < end)
        ;
}

static uint64_t distance(struct aim *a)
{
    uint64_t x = check_random(&a->rng), about;

    if (x % 2)
        return (x >> 1) % (2 * a->away_ns + 1);
    about = a->arming_ns + (x >> 1) % (ARMING_NS + ARMING_NS / 2);
    return about > ARMING_NS ? about - ARMING_NS : 0;
}

static void aim_learn(struct aim *a, uint64_t ball, uint64_t took)
{
    a->away_ns += took / 16;
    a->away_ns -= a->away_ns / 16;
    if (a->away_ns > DISTANCE_MAX_NS)
        a->away_ns = DISTANCE_MAX_NS;
    if ((ball & EARLY) && a->arming_ns < DISTANCE_MAX_NS)
        a->arming_ns += STEP_NS;
    if ((ball & LATE) && a->arming_ns >= STEP_NS)
        a->arming_ns -= STEP_NS;
}

/* Mostly one message ahead, at times none or several. */
static void send_ahead(ach_channel_t *out, struct aim *a)
{
    static const unsigned numbers[8] = {1, 1, 1, 1, 1, 0, 2, 3};
    unsigned n = numbers[check_random(&a->rng) % 8];

    while (n--) {
        ball_send(out, AHEAD);
        wait_ns(distance(a));
    }
}

/* Wait until all others have sent the ball back. Returns the last ball, with its report. */
static uint64_t await_all(const struct race *r, ach_channel_t *back, uint64_t ball)
{
    uint64_t told = 0;
    unsigned i;

    for (i = 0; i < r->variant->others; i++) {
        told = ball_receive_soon(back, LOOKS);
        REQUIRE((told & ~TOLD) == ball);
    }
    return told;
}

int serve_pollers(struct actor *self)
{
    const struct race *r = self->arg;
    struct aim aim = {.rng = r->seed, .away_ns = DISTANCE_MAX_NS / 8, .arming_ns = ARMING_NS};
    ach_channel_t out, back;
    uint64_t round, ball = 0;

    race_open(r, &out, 0, false);
    race_open(r, &back, BACK, false);
    for (round = 1; !(ball & LAST_ROUND); round++) {
        uint64_t start, told;

        ball = ball_next(r, round);
        round_begin(r, round);
        send_ahead(&out, &aim);
        start = check_now_ns();
        ball_send(&out, ball);
        actor_step(self);
        told = await_all(r, &back, ball);
        actor_step(self);
        aim_learn(&aim, told, check_now_ns() - start);
    }
    __atomic_store_n(&r->shared->rounds, round - 1, __ATOMIC_RELEASE);
    CHECK_OK(ach_close(&out));
    CHECK_OK(ach_close(&back));
    return check_failures;
}

/* A descriptor and the mechanism that polls it. */
struct eye {
    enum poller by;
    int fd, epoll;
    struct race_shared *shared;
};

static void eye_open(struct eye *e, const struct race *r, const ach_channel_t *chan)
{
    struct epoll_event event = {.events = EPOLLIN};

    *e = (struct eye){.by = r->variant->poller, .epoll = -1, .shared = r->shared};
    REQUIRE_OK(ach_channel_fd(chan, &e->fd));
    if (e->by != BY_EPOLL && e->by != BY_EPOLL_EDGE)
        return;
    if (e->by == BY_EPOLL_EDGE)
        event.events |= EPOLLET;
    e->epoll = epoll_create1(EPOLL_CLOEXEC);
    REQUIRE(e->epoll >= 0 && epoll_ctl(e->epoll, EPOLL_CTL_ADD, e->fd, &event) == 0);
}

static void eye_close(struct eye *e)
{
    if (e->epoll >= 0)
        close(e->epoll);
}

static int wait_once(const struct eye *e)
{
    struct pollfd p = {.fd = e->fd, .events = POLLIN};
    struct epoll_event events[EDGE_MAX];
    fd_set set;

    if (e->by == BY_POLL)
        return poll(&p, 1, -1);
    if (e->by != BY_SELECT)
        return epoll_wait(e->epoll, events, EDGE_MAX, -1);
    FD_ZERO(&set);
    FD_SET(e->fd, &set);
    return select(e->fd + 1, &set, NULL, NULL, NULL);
}

static void eye_wait(struct eye *e)
{
    int n = wait_once(e);

    if (n < 0 && errno == EINTR)
        __atomic_fetch_add(&e->shared->interrupted, 1, __ATOMIC_RELAXED);
    else
        REQUIRE(n == 1);
    __atomic_fetch_add(&e->shared->polls, 1, __ATOMIC_RELAXED);
}

static enum ach_status look(ach_channel_t *chan, uint64_t *ball, int options)
{
    size_t size = 0;
    enum ach_status r = ach_get(chan, ball, sizeof(*ball), &size, NULL, options);

    REQUIRE(r == ACH_OK || r == ACH_MISSED_FRAME || r == ACH_EAGAIN);
    return r;
}

/*
 * Until the ball comes: poll, then get one message or all. With edge-triggered
 * epoll all must be got. After a message, get again at once, or poll.
 */
static uint64_t await_ball(struct eye *e, ach_channel_t *chan, uint64_t *rng)
{
    bool polled = false, got = false;
    uint64_t ball = 0, told = 0;

    for (;;) {
        uint64_t x = check_random(rng);

        if (look(chan, &ball, x & ACH_O_LAST) != ACH_EAGAIN) {
            if (!(ball & AHEAD))
                return ball | (got && !polled && !told ? EARLY : told);
            got = true;
            polled = false;
            if (e->by == BY_EPOLL_EDGE || x >> 32 & 1)
                continue;
        } else {
            __atomic_fetch_add(&e->shared->vain, polled, __ATOMIC_RELAXED);
            told = got ? LATE : 0;
        }
        eye_wait(e);
        polled = true;
    }
}

int answer_polling(struct actor *self)
{
    const struct race *r = self->arg;
    uint64_t rng = r->seed + 1 + self->index, ball;
    ach_channel_t in, back;
    struct eye eye;

    race_open(r, &in, 0, r->variant->readonly);
    race_open(r, &back, BACK, false);
    eye_open(&eye, r, &in);
    do {
        ball = await_ball(&eye, &in, &rng);
        actor_step(self);
        ball_send(&back, ball);
        actor_step(self);
    } while (!(ball & LAST_ROUND));
    eye_close(&eye);
    CHECK_OK(ach_close(&in));
    CHECK_OK(ach_close(&back));
    return check_failures;
}

/* Poll until the handle is canceled (true), or a ball comes. */
static bool await_either(struct eye *e, ach_channel_t *chan)
{
    enum ach_status r;
    uint64_t ball;
    size_t size;

    while ((r = ach_get(chan, &ball, sizeof(ball), &size, NULL, 0)) == ACH_EAGAIN)
        eye_wait(e);
    REQUIRE(r == ACH_CANCELED || r == ACH_OK);
    return r == ACH_CANCELED;
}

/* Clears the cancel before confirming it; the get that follows races with the next cancel. */
int poll_canceled(struct actor *self)
{
    struct race *r = self->arg;
    uint64_t round;
    ach_channel_t back;
    bool last = false;
    struct eye eye;

    race_open(r, &back, BACK, false);
    eye_open(&eye, r, &r->canceled);
    for (round = 1; !last; round++) {
        bool canceled = await_either(&eye, &r->canceled);

        actor_step(self);
        last = __atomic_load_n(&r->shared->stop, __ATOMIC_ACQUIRE) == 2;
        if (canceled)
            __atomic_store_n(&r->canceled.cancel, 0, __ATOMIC_SEQ_CST);
        ball_send(&back, round);
        actor_step(self);
    }
    eye_close(&eye);
    CHECK_OK(ach_close(&back));
    return check_failures;
}

/* In each round either cancels the other side's handle or puts. */
int serve_canceled(struct actor *self)
{
    struct race *r = self->arg;
    struct aim aim = {.rng = r->seed, .away_ns = DISTANCE_MAX_NS / 8, .arming_ns = ARMING_NS};
    ach_channel_t out, back;
    uint64_t round = 0;
    bool last;

    race_open(r, &out, 0, false);
    race_open(r, &back, BACK, false);
    do {
        uint64_t start = check_now_ns();

        round++;
        last = __atomic_load_n(&r->shared->stop, __ATOMIC_ACQUIRE) == 1;
        if (last)
            __atomic_store_n(&r->shared->stop, 2, __ATOMIC_RELEASE);
        if (check_random(&aim.rng) % 4)
            CHECK_OK(ach_cancel(&r->canceled, NULL));
        else
            ball_send(&out, round);
        actor_step(self);
        REQUIRE(ball_receive_soon(&back, LOOKS) == round);
        actor_step(self);
        aim_learn(&aim, 0, check_now_ns() - start);
        wait_ns(distance(&aim));
    } while (!last);
    __atomic_store_n(&r->shared->rounds, round, __ATOMIC_RELEASE);
    CHECK_OK(ach_close(&out));
    CHECK_OK(ach_close(&back));
    return check_failures;
}
