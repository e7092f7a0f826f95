/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hostile-memory.c - no contents of a channel's memory make a process crash or hang (G9)
 *
 *     hostile-memory [SECONDS]
 *
 * Writers, readers, viewers and waiters use two channels while an attacker
 * rewrites their memory. Every call must return soon, with a documented status,
 * and access nothing outside of its memory.
 */
#include <fcntl.h>

#include "actors.h"
#include "attack.h"
#include "guard.h"

#define FRAMES 8u
#define FRAME_SIZE 300u
#define CAPACITY (FRAMES * FRAME_SIZE)
#define CALLS_PER_HANDLE 60
#define LOCK_TIMEOUT_NS 2000000u

/* A call that takes longer than this hangs. */
#define HANG_MS check_time(30000)

static const char *const names[] = {"hostile", "hostile-single"};
enum { PLAIN, SINGLE };

#define GOT                                                                                        \
    (ACH_MASK_OK | ACH_MASK_MISSED_FRAME | ACH_MASK_EAGAIN | ACH_MASK_TIMEOUT | ACH_MASK_CORRUPT | \
     ACH_MASK_ENOENT)
#define PUT (ACH_MASK_OK | ACH_MASK_LOCKED | ACH_MASK_CORRUPT | ACH_MASK_EACCES | ACH_MASK_OVERFLOW)
#define OPENED                                                                                     \
    (ACH_MASK_OK | ACH_MASK_BAD_SHM_FILE | ACH_MASK_BAD_HEADER | ACH_MASK_EAGAIN |                 \
     ACH_MASK_FAILED_SYSCALL)

struct stage {
    uint32_t stop;
    uint32_t tids[ATTACK_TIDS];
    uint64_t blows;
    uint64_t statuses[32]; /* how often each status was returned */
};

struct player {
    struct actor *self;
    struct stage *stage;
    ach_channel_t chan;
    struct guard guard;
    unsigned char *buf; /* CAPACITY bytes, then a guard page */
    uint64_t rng;
};

#define EXPECT(p, call, mask) expect((p), (call), (mask), __LINE__, #call)

static enum ach_status expect(struct player *p, enum ach_status s, ach_mask_t mask, int line,
                              const char *what)
{
    if (!ach_status_match(s, mask)) {
        fprintf(stderr, "%s:%d: %s is %s (%s)\n", __FILE__, line, what, ach_result_to_string(s),
                ach_errstr());
        check_failures++;
    }
    __atomic_fetch_add(&p->stage->statuses[s & 31], 1, __ATOMIC_RELAXED);
    actor_step(p->self);
    return s;
}

static size_t roll(struct player *p, size_t n)
{
    return (size_t)(check_random(&p->rng) % n);
}

static struct timespec soon(struct player *p)
{
    return (struct timespec){.tv_nsec = (long)roll(p, 3000000)};
}

static int some_options(struct player *p)
{
    const int all = ACH_O_WAIT | ACH_O_LAST | ACH_O_COPY | ACH_O_LINKED;

    return ((int)roll(p, 32) & all) | ACH_O_RELTIME;
}

static void do_put(struct player *p)
{
    size_t n = roll(p, 3) ? 1 + roll(p, 100) : 1 + roll(p, CAPACITY);

    EXPECT(p, ach_put(&p->chan, p->buf + CAPACITY - n, n), PUT);
}

static void do_reserve(struct player *p)
{
    size_t n = 1 + roll(p, CAPACITY);
    void *room = NULL;

    if (EXPECT(p, ach_reserve(&p->chan, n, &room), PUT) != ACH_OK)
        return;
    memset(room, 0x77, n);
    EXPECT(p, roll(p, 4) ? ach_commit(&p->chan, 1 + roll(p, n)) : ach_abort(&p->chan), PUT);
}

static void do_get(struct player *p)
{
    size_t room = roll(p, 2) ? CAPACITY : roll(p, CAPACITY), size = 0;
    struct timespec t = soon(p);
    enum ach_status s;

    s = EXPECT(p, ach_get(&p->chan, p->buf + CAPACITY - room, room, &size, &t, some_options(p)),
               GOT | ACH_MASK_OVERFLOW);
    if (s == ACH_OK || s == ACH_MISSED_FRAME)
        CHECK(size >= 1 && size <= room);
    if (s == ACH_OVERFLOW)
        CHECK(size > room);
}

/* The bytes of a view may have any value, but must be readable. */
static void touch(struct player *p, const volatile unsigned char *at, size_t size)
{
    const unsigned char *base = (const unsigned char *)p->chan.shm;
    const unsigned char *from = (const unsigned char *)(uintptr_t)at;
    size_t i;

    if (CHECK(from >= base && from <= p->guard.end && size <= (size_t)(p->guard.end - from)))
        for (i = 0; i < size; i++)
            (void)at[i];
}

static void do_view(struct player *p)
{
    struct timespec t = soon(p);
    const void *at = NULL;
    size_t size = 0;
    enum ach_status s = EXPECT(p, ach_view(&p->chan, &at, &size, &t, some_options(p)), GOT);

    if (s != ACH_OK && s != ACH_MISSED_FRAME)
        return;
    touch(p, at, size);
    EXPECT(p, ach_view_check(&p->chan), ACH_MASK_OK | ACH_MASK_EAGAIN);
}

static void do_wait(struct player *p)
{
    ach_wait_item_t items[2] = {{.chan = &p->chan}, {.chan = &p->chan}};
    struct timespec t = soon(p);
    int options = ACH_O_RELTIME | (roll(p, 2) ? ACH_O_LINKED : 0);

    if (EXPECT(p, ach_wait(items, 2, &t, options), ACH_MASK_OK | ACH_MASK_TIMEOUT) == ACH_OK)
        EXPECT(p, items[0].status, GOT & ~ACH_MASK_MISSED_FRAME);
}

static void do_ask(struct player *p)
{
    ach_info_t info;
    struct timespec when;
    uint64_t a, b;

    EXPECT(p, ach_channel_info(&p->chan, &info), ACH_MASK_OK | ACH_MASK_CORRUPT);
    EXPECT(p, ach_flush(&p->chan), ACH_MASK_OK | ACH_MASK_CORRUPT);
    EXPECT(p, ach_channel_seq(&p->chan, &a), ACH_MASK_OK);
    EXPECT(p, ach_channel_missed(&p->chan, &a, &b), ACH_MASK_OK);
    EXPECT(p, ach_channel_timestamp(&p->chan, &when),
           ACH_MASK_OK | ACH_MASK_EAGAIN | ACH_MASK_ENOTSUP);
}

static void play(struct player *p, const char *name, bool readonly, bool source,
                 void (*const *moves)(struct player *), size_t n)
{
    ach_attr_t attr;
    unsigned i;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, readonly);
    ach_attr_set_lock_source(&attr, source);
    ach_attr_set_lock_timeout(&attr, LOCK_TIMEOUT_NS);
    ach_attr_set_spin(&attr, roll(p, 2) ? 2000 : 0);
    if (EXPECT(p, ach_open(&p->chan, name, &attr), OPENED) != ACH_OK)
        return;
    p->guard = guard_channel(&p->chan);
    for (i = 0; i < CALLS_PER_HANDLE && !__atomic_load_n(&p->stage->stop, __ATOMIC_ACQUIRE); i++)
        moves[roll(p, n)](p);
    guard_remove(&p->guard);
    EXPECT(p, ach_close(&p->chan), ACH_MASK_OK);
}

static int writer(struct actor *self)
{
    void (*const moves[])(struct player *) = {do_put, do_reserve};
    struct player p = {.self = self, .stage = self->arg, .rng = self->index};
    bool single = self->index % 3 == 2;

    p.buf = guard_alloc(CAPACITY);
    while (!__atomic_load_n(&p.stage->stop, __ATOMIC_ACQUIRE))
        play(&p, names[single], false, single, moves, 2);
    return check_failures;
}

static int reader(struct actor *self)
{
    void (*const moves[])(struct player *) = {do_get, do_get, do_view, do_wait, do_ask};
    struct player p = {.self = self, .stage = self->arg, .rng = self->index};

    p.buf = guard_alloc(CAPACITY);
    while (!__atomic_load_n(&p.stage->stop, __ATOMIC_ACQUIRE))
        play(&p, names[roll(&p, 2)], self->index % 3 == 2, false, moves, 5);
    return check_failures;
}

static int attacker(struct actor *self)
{
    struct stage *stage = self->arg;
    struct attack a[2];
    char path[256];
    uint64_t rng = 99;
    unsigned i;

    for (i = 0; i < 2; i++) {
        REQUIRE_OK(ach_channel_path(names[i], path, sizeof(path)));
        REQUIRE(attack_init(&a[i], path, (uint64_t)getpid() + i));
        a[i].tids = stage->tids;
        a[i].tid_count = ATTACK_TIDS;
    }
    while (!__atomic_load_n(&stage->stop, __ATOMIC_ACQUIRE)) {
        attack_step(&a[check_random(&rng) % 2]);
        if (check_random(&rng) % 4 == 0)
            usleep((unsigned)(check_random(&rng) % 200));
        __atomic_fetch_add(&stage->blows, 1, __ATOMIC_RELAXED);
        actor_step(self);
    }
    for (i = 0; i < 2; i++) {
        attack_heal(&a[i]);
        attack_finish(&a[i]);
    }
    return check_failures;
}

/* True while all actors are alive and every call returns. */
static bool all_well(const struct crew *c, uint64_t *steps, uint64_t *since)
{
    uint64_t now = check_now_ns();
    unsigned i;

    for (i = 0; i < c->n; i++) {
        uint64_t s = __atomic_load_n(&c->actors[i].steps, __ATOMIC_ACQUIRE);

        if (s != steps[i] || !since[i]) {
            steps[i] = s;
            since[i] = now;
        } else if (now - since[i] > HANG_MS * 1000000ull) {
            fprintf(stderr, "actor %u hangs in a call, in state %c\n", i,
                    actor_state(&c->actors[i]));
            return false;
        }
    }
    return !crew_broken(c);
}

static void make_channels(void)
{
    ach_create_attr_t attr;

    REQUIRE_OK(ach_create(names[PLAIN], FRAMES, FRAME_SIZE, NULL));
    ach_create_attr_init(&attr);
    ach_create_attr_set_single_writer(&attr, 1);
    ach_create_attr_set_timestamps(&attr, 1);
    ach_create_attr_set_readonly_wake(&attr, 1);
    REQUIRE_OK(ach_create(names[SINGLE], FRAMES, FRAME_SIZE, &attr));
}

static void watch(struct crew *c, struct stage *stage, uint64_t ms)
{
    uint64_t end = check_now_ns() + ms * 1000000u;
    uint64_t steps[ACTORS_MAX] = {0}, since[ACTORS_MAX] = {0};
    unsigned i;

    while (check_now_ns() < end) {
        for (i = 0; i < c->n && i < ATTACK_TIDS; i++)
            __atomic_store_n(&stage->tids[i], (uint32_t)c->actors[i].tid, __ATOMIC_RELAXED);
        if (!CHECK(all_well(c, steps, since))) {
            fprintf(stderr, "an actor died or hangs\n");
            crew_kill(c);
            break;
        }
        check_sleep_ms(20);
    }
    __atomic_store_n(&stage->stop, 1, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
    uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000 : check_scale(13000);
    struct stage *stage = check_shared(sizeof(*stage));
    struct crew c;
    unsigned i;

    make_channels();
    crew_init(&c, false);
    crew_start(&c, attacker, stage, 0);
    for (i = 0; i < 3; i++)
        crew_start(&c, writer, stage, i);
    for (i = 0; i < 4; i++)
        crew_start(&c, reader, stage, i);
    watch(&c, stage, ms);
    if (!CHECK(crew_join(&c, HANG_MS)))
        for (i = 0; i < c.n; i++)
            fprintf(stderr, "actor %u: done %u, failures %d\n", i, c.actors[i].done,
                    c.actors[i].failures);
    printf("%llu blows;", (unsigned long long)stage->blows);
    for (i = 0; i < 32; i++)
        if (stage->statuses[i])
            printf(" %s %llu", ach_result_to_string((ach_status_t)i),
                   (unsigned long long)stage->statuses[i]);
    printf("\n");
    CHECK(stage->statuses[ACH_OK] > 0 && stage->statuses[ACH_CORRUPT] > 0);
    CHECK_OK(ach_unlink(names[PLAIN]));
    CHECK_OK(ach_unlink(names[SINGLE]));
    return check_result();
}
