/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * poll-races.c - a thread that polls a descriptor misses no put and no cancel (G6)
 *
 *     poll-races io_uring|thread [threads] [RACES]
 *
 * Runs each variant for a while, and until RACES races are done in all;
 * ACH_TEST_SCALE=1000 sets ten million. A helper thread checks again by itself
 * after a second, which hides a lost wake-up; so the processes are watched from
 * outside.
 */
#include "polled.h"
#include "races.h"

#define SLICE_MS 700

#define PUTS .server = serve_pollers, .other = answer_polling
#define CANCELS .server = serve_canceled, .other = poll_canceled, .others = 1, .one_process = true

static const struct variant variants[] = {
    {.name = "poll", PUTS, .others = 1, .poller = BY_POLL},
    {.name = "epoll", PUTS, .others = 1, .poller = BY_EPOLL},
    {.name = "epoll, edges", PUTS, .others = 1, .poller = BY_EPOLL_EDGE},
    {.name = "select", PUTS, .others = 1, .poller = BY_SELECT},
    {.name = "read-only, poll", PUTS, .others = 1, .poller = BY_POLL, .readonly = true},
    {.name = "read-only, edges", PUTS, .others = 1, .poller = BY_EPOLL_EDGE, .readonly = true},
    {.name = "three of them, epoll", PUTS, .others = 3, .poller = BY_EPOLL},
    {.name = "poll, lowered", PUTS, .others = 1, .poller = BY_POLL, .lowered = true},
    {.name = "edges, lowered", PUTS, .others = 1, .poller = BY_EPOLL_EDGE, .lowered = true},
    {.name = "three of them, lowered", PUTS, .others = 3, .poller = BY_EPOLL, .lowered = true},
    {.name = "cancel, poll", CANCELS, .poller = BY_POLL},
    {.name = "cancel, edges", CANCELS, .poller = BY_EPOLL_EDGE},
    {.name = "cancel, select", CANCELS, .poller = BY_SELECT},
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

struct totals {
    uint64_t races, polls, interrupted;
};

static void *had_a_thread(void *cx)
{
    return cx;
}

/* Is the mechanism available here? A heap channel uses io_uring only after a thread was started. */
static bool present(const char *mechanism)
{
    ach_create_attr_t make;
    enum ach_status status;
    ach_channel_t chan;
    ach_info_t info;
    pthread_t thread;
    ach_attr_t attr;
    int fd;

    REQUIRE(setenv("ACH_FD", mechanism, 1) == 0);
    REQUIRE(pthread_create(&thread, NULL, had_a_thread, NULL) == 0);
    pthread_join(thread, NULL);
    ach_create_attr_init(&make);
    ach_attr_init(&attr);
    ach_create_attr_set_map(&make, ACH_MAP_ANON);
    REQUIRE_OK(ach_create(NULL, 1, 1, &make));
    ach_attr_set_shm(&attr, make.shm);
    REQUIRE_OK(ach_open(&chan, NULL, &attr));
    status = ach_channel_fd(&chan, &fd);
    REQUIRE_OK(ach_channel_info(&chan, &info));
    CHECK_OK(ach_close(&chan));
    free(make.shm);
    return status == ACH_OK &&
           info.ready == (strcmp(mechanism, "thread") ? ACH_READY_IO_URING : ACH_READY_THREAD);
}

static void one_variant(unsigned i, bool threads, uint64_t wanted, struct totals *t)
{
    struct race r = {.variant = &variants[i], .seed = (uint64_t)getpid() + i, .heap = threads};
    uint64_t races;

    r.shared = check_shared(sizeof(*r.shared));
    races = race_run(&r, threads, (long)check_scale(SLICE_MS), wanted / VARIANTS + 1);
    CHECK(r.shared->interrupted == 0);
    printf("%s: %llu races, %llu polls, %llu of them in vain, %llu interrupted\n", r.variant->name,
           (unsigned long long)races, (unsigned long long)r.shared->polls,
           (unsigned long long)r.shared->vain, (unsigned long long)r.shared->interrupted);
    fflush(stdout);
    t->races += races;
    t->polls += r.shared->polls;
    t->interrupted += r.shared->interrupted;
    munmap(r.shared, sizeof(*r.shared));
}

int main(int argc, char **argv)
{
    bool threads = argc > 2 && strcmp(argv[2], "threads") == 0;
    const char *number = argc > 2 + threads ? argv[2 + threads] : NULL;
    uint64_t wanted = number ? strtoull(number, NULL, 10) : long_run();
    struct totals totals = {0};
    unsigned i;

    if (argc < 2 || (strcmp(argv[1], "io_uring") != 0 && strcmp(argv[1], "thread") != 0)) {
        fprintf(stderr, "usage: poll-races io_uring|thread [threads] [RACES]\n");
        return 2;
    }
    if (!present(argv[1]))
        check_skip("this system has no io_uring that waits on futexes");
    for (i = 0; i < VARIANTS && !check_failures; i++)
        one_variant(i, threads, wanted, &totals);
    printf("%s: %llu races, %llu polls, %llu interrupted, %s\n", argv[1],
           (unsigned long long)totals.races, (unsigned long long)totals.polls,
           (unsigned long long)totals.interrupted,
           check_failures ? "and then a failure" : "no wake-up lost");
    return check_result();
}
