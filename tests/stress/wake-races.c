/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wake-races.c - no put goes unnoticed by who waits (G6)
 *
 *     wake-races [threads] [ROUNDS]
 *
 * Runs each variant for a second, or until so many rounds are done in all;
 * ACH_TEST_SCALE of 1000 asks for ten million. A
 * wake-up is lost if both sides sleep: the library would look again by itself
 * after a second, so the processes are watched from outside.
 */
#include "races.h"
#include "racy.h"

#define SLICE_MS 1200
#define JOIN_LIMIT_MS 30000

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
    char name[16];
    unsigned i;

    for (i = 0; i <= RACE_CHANNELS; i++) {
        ach_create_attr_init(&attr);
        if (r->heap)
            ach_create_attr_set_map(&attr, ACH_MAP_ANON);
        ach_create_attr_set_readonly_wake(&attr, r->variant->readonly);
        channel_name(name, i);
        REQUIRE_OK(ach_create(name, 16, 16, &attr));
        if (r->heap)
            ach_create_attr_get_shm(&attr, &r->shm[i]);
    }
}

static void channels_remove(const struct race *r)
{
    char name[16];
    unsigned i;

    for (i = 0; i <= RACE_CHANNELS && !r->heap; i++) {
        channel_name(name, i);
        CHECK_OK(ach_unlink(name));
    }
}

/* A process that waits for whatever comes, until it is killed. */
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

/* Kill one of them and start another, a few times. */
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

/* Watch until the time or the rounds are over; false: they are stuck. */
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

static uint64_t one_race(struct race *r, bool threads, long ms, uint64_t rounds)
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

/* Can descriptors be had this way? A heap channel wants a process that has had threads. */
static void *try_descriptor(void *cx)
{
    enum ach_ready *ready = cx;
    ach_create_attr_t make;
    ach_attr_t attr;
    ach_channel_t chan;
    ach_info_t info;
    int fd;

    ach_create_attr_init(&make);
    ach_attr_init(&attr);
    ach_create_attr_set_map(&make, ACH_MAP_ANON);
    REQUIRE_OK(ach_create(NULL, 1, 1, &make));
    ach_attr_set_shm(&attr, make.shm);
    REQUIRE_OK(ach_open(&chan, NULL, &attr));
    if (ach_channel_fd(&chan, &fd) == ACH_OK) {
        REQUIRE_OK(ach_channel_info(&chan, &info));
        *ready = info.ready;
    }
    CHECK_OK(ach_close(&chan));
    return NULL;
}

static bool has_rings(void)
{
    enum ach_ready ready = ACH_READY_NONE;
    pthread_t thread;

    REQUIRE(setenv("ACH_FD", "io_uring", 1) == 0);
    REQUIRE(pthread_create(&thread, NULL, try_descriptor, &ready) == 0);
    pthread_join(thread, NULL);
    return ready == ACH_READY_IO_URING;
}

/* Threads cannot be killed; and the thread sanitizer holds signals back during system calls. */
static bool fits(const struct variant *v, bool threads)
{
#ifdef RACY_TSAN
    if (v->handler)
        return false;
#endif
    if (v->fd && strcmp(v->fd, "io_uring") == 0 && !has_rings())
        return false;
    return !(threads && v->victims);
}

static unsigned fitting(bool threads)
{
    unsigned i, n = 0;

    for (i = 0; i < race_variant_count; i++)
        n += fits(&race_variants[i], threads);
    return n;
}

int main(int argc, char **argv)
{
    bool threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    const char *number = argc > 1 + threads ? argv[1 + threads] : NULL;
    uint64_t wanted = number ? strtoull(number, NULL, 10) : long_run();
    long ms = (long)check_scale(SLICE_MS);
    uint64_t total = 0;
    unsigned i;

    if (!has_rings())
        printf("no io_uring that waits on futexes: its descriptors are left out\n");
    for (i = 0; i < race_variant_count && !check_failures; i++) {
        struct race r = {.variant = &race_variants[i], .seed = (uint64_t)getpid() + i};
        uint64_t rounds;

        if (!fits(r.variant, threads))
            continue;
        if (r.variant->fd)
            REQUIRE(setenv("ACH_FD", r.variant->fd, 1) == 0);
        r.heap = threads;
        r.shared = check_shared(sizeof(*r.shared));
        rounds = one_race(&r, threads, ms, wanted / fitting(threads) + 1);
        printf("%s: %llu rounds\n", r.variant->name, (unsigned long long)rounds);
        munmap(r.shared, sizeof(*r.shared));
        total += rounds;
    }
    printf("%llu rounds, %s\n", (unsigned long long)total,
           check_failures ? "and then a failure" : "none lost");
    return check_result();
}
