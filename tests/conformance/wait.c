/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - getting messages that are not there yet */
#include "conformance.h"

#include <errno.h>
#include <limits.h>
#include <sys/time.h>

#include "layout.h"

static ach_channel_t chan, writer;

static void begin(void)
{
    make(8, 64);
    open_it(&chan);
    open_it(&writer);
}

static void finish(void)
{
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static enum ach_status get_until(const struct timespec *timeout, int options)
{
    char buf[64];
    size_t size = 77;
    enum ach_status r = ach_get(&chan, buf, sizeof(buf), &size, timeout, options | ACH_O_WAIT);

    CHECK((size == 77) == (r != ACH_OK && r != ACH_MISSED_FRAME));
    return r;
}

static void expired(void)
{
    const struct timespec past = clock_in(CLOCK_MONOTONIC, -10), epoch = {0};

    begin();
    CHECK_STATUS(get_until(&past, 0), ACH_TIMEOUT);
    CHECK_STATUS(get_until(&epoch, 0), ACH_TIMEOUT);
    CHECK_STATUS(get_until(&epoch, ACH_O_RELTIME), ACH_TIMEOUT);
    CHECK_STATUS(get_until(&past, ACH_O_LAST), ACH_TIMEOUT);
    CHECK_STATUS(get_until(&past, ACH_O_COPY), ACH_TIMEOUT);
    finish();
}

/* A message that is there is delivered even if the deadline has passed. */
static void expired_but_there(void)
{
    const struct timespec past = clock_in(CLOCK_MONOTONIC, -10);

    begin();
    put_range(&writer, 1, 10);
    CHECK_STATUS(get_until(&past, 0), ACH_MISSED_FRAME);
    CHECK_OK(get_until(&past, 0));
    CHECK_STATUS(get_until(&past, ACH_O_LAST), ACH_MISSED_FRAME);
    CHECK_STATUS(get_until(&past, ACH_O_LAST), ACH_TIMEOUT);
    finish();
}

/* A point in time with invalid nanoseconds is refused, but only if the get must wait. */
static void invalid_times(void)
{
    static const struct timespec bad[] = {{0, 1000000000}, {0, -1}, {-1, -1}, {-1, LONG_MAX}};
    size_t i, size;
    char buf[64];

    begin();
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_STATUS(get_until(&bad[i], 0), ACH_EINVAL);
        CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, &bad[i], 0), ACH_EAGAIN);
        put_range(&writer, 1, 1);
        CHECK_OK(get_until(&bad[i], 0));
    }
    finish();
}

/* A duration is the sum of its seconds and nanoseconds, whatever their signs. */
static void odd_durations(void)
{
    static const struct timespec none[] = {
        {0, 0}, {0, -1}, {-1, 0}, {-1, 999999999}, {1, -1000000000}, {LONG_MIN, LONG_MIN},
    };
    static const struct timespec some[] = {{-1, 1030000000}, {1, -970000000}}; /* 30 ms */
    uint64_t start;
    size_t i;

    begin();
    for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        CHECK_STATUS(get_until(&none[i], ACH_O_RELTIME), ACH_TIMEOUT);
    for (i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        start = check_now_ns();
        CHECK_STATUS(get_until(&some[i], ACH_O_RELTIME), ACH_TIMEOUT);
        CHECK(check_now_ns() - start >= 30000000);
    }
    finish();
}

static void times_before_zero(void)
{
    static const struct timespec early[] = {{-1, 0}, {-1, 999999999}, {LONG_MIN, 0}};
    size_t i;

    begin();
    for (i = 0; i < sizeof(early) / sizeof(early[0]); i++)
        CHECK_STATUS(get_until(&early[i], 0), ACH_TIMEOUT);
    finish();
}

/* Without ACH_O_WAIT a timeout is ignored. */
static void only_with_wait(void)
{
    const struct timespec later = clock_in(CLOCK_MONOTONIC, 600000);
    char buf[64];
    size_t size;

    begin();
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, &later, 0), ACH_EAGAIN);
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, &later, ACH_O_RELTIME), ACH_EAGAIN);
    finish();
}

static void not_too_early(void)
{
    const struct timespec rel = ms(40);
    struct timespec abs;
    uint64_t start;

    begin();
    start = check_now_ns();
    CHECK_STATUS(get_until(&rel, ACH_O_RELTIME), ACH_TIMEOUT);
    CHECK(check_now_ns() - start >= 40000000);
    abs = clock_in(CLOCK_MONOTONIC, 40);
    CHECK_STATUS(get_until(&abs, 0), ACH_TIMEOUT);
    CHECK(check_now_ns() >= (uint64_t)ns_of(&abs));
    finish();
}

/* On every clock: past deadlines expire at once, future ones and relative times are waited for. */
static void clocks(void)
{
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_TAI,
                                       CLOCK_MONOTONIC_RAW};
    const struct timespec rel = ms(15);
    struct timespec t, now;
    size_t i;

    for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        ach_create_attr_t attr = create_attr();

        if (!clock_fits(clocks[i]))
            continue;
        REQUIRE_OK(ach_create_attr_set_clock(&attr, clocks[i]));
        REQUIRE_OK(backend->create(CHAN, 4, 64, &attr));
        open_it(&chan);
        t = clock_in(clocks[i], -1000);
        CHECK_STATUS(get_until(&t, 0), ACH_TIMEOUT);
        t = clock_in(clocks[i], 15);
        CHECK_STATUS(get_until(&t, 0), ACH_TIMEOUT);
        REQUIRE(clock_gettime(clocks[i], &now) == 0);
        CHECK(ns_of(&now) >= ns_of(&t));
        CHECK_STATUS(get_until(&rel, ACH_O_RELTIME), ACH_TIMEOUT);
        CHECK_OK(ach_close(&chan));
        remove_it();
    }
}

/* On a CLOCK_REALTIME channel deadlines are compared with the wall clock. */
static void right_clock(void)
{
    struct timespec wall = clock_in(CLOCK_REALTIME, -100000), mono;
    ach_create_attr_t attr = create_attr();

    REQUIRE_OK(ach_create_attr_set_clock(&attr, CLOCK_REALTIME));
    REQUIRE_OK(backend->create(CHAN, 4, 64, &attr));
    open_it(&chan);
    CHECK_STATUS(get_until(&wall, 0), ACH_TIMEOUT);
    mono = clock_in(CLOCK_MONOTONIC, 600000);
    if (ns_of(&mono) < ns_of(&wall))
        CHECK_STATUS(get_until(&mono, 0), ACH_TIMEOUT);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void put_wakes(void)
{
    struct waiter w;
    int options;

    begin();
    for (options = 0; options <= (ACH_O_LAST | ACH_O_COPY); options += 2) {
        waiter_start(&w, &chan, options);
        let_sleep();
        put_range(&writer, (uint64_t)options + 1, (uint64_t)options + 1);
        CHECK_OK(waiter_end(&w));
        CHECK(w.number == (uint64_t)options + 1);
    }
    finish();
}

/* A waiting get with ACH_O_COPY does not return a message that the handle has already got. */
static void copy_waits(void)
{
    const struct timespec rel = ms(20);

    begin();
    put_range(&writer, 1, 1);
    CHECK_OK(get_until(&rel, ACH_O_COPY | ACH_O_RELTIME));
    CHECK_STATUS(get_until(&rel, ACH_O_COPY | ACH_O_RELTIME), ACH_TIMEOUT);
    CHECK_STATUS(get_until(&rel, ACH_O_COPY | ACH_O_LAST | ACH_O_RELTIME), ACH_TIMEOUT);
    finish();
}

#define WAITERS 12

static void put_wakes_all(void)
{
    ach_channel_t chans[WAITERS];
    struct waiter w[WAITERS];
    size_t i;

    begin();
    for (i = 0; i < WAITERS; i++) {
        open_it(&chans[i]);
        waiter_start(&w[i], &chans[i], 0);
    }
    let_sleep();
    put_range(&writer, 3, 3);
    for (i = 0; i < WAITERS; i++) {
        CHECK_OK(waiter_end(&w[i]));
        CHECK(w[i].number == 3);
        CHECK_OK(ach_close(&chans[i]));
    }
    finish();
}

/* The largest deadline, and a relative time that overflows when added to now. */
static void far_away(void)
{
    const struct timespec end = {.tv_sec =
                                     sizeof(time_t) == 4 ? (time_t)INT32_MAX : (time_t)INT64_MAX,
                                 .tv_nsec = 999999999};
    struct waiter w;
    int options;

    begin();
    for (options = 0; options <= ACH_O_RELTIME; options += ACH_O_RELTIME) {
        waiter_start_until(&w, &chan, options, &end);
        let_sleep();
        put_range(&writer, 1, 1);
        CHECK_OK(waiter_end(&w));
    }
    finish();
}

static void open_spinning(ach_channel_t *c, uint64_t ns)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    REQUIRE_OK(ach_attr_set_spin(&attr, ns));
    REQUIRE_OK(backend->open(c, CHAN, &attr));
}

static void spinning(void)
{
    static const uint64_t times[] = {1, 1000000, UINT64_MAX};
    const struct timespec rel = ms(10), past = {0};
    struct waiter w;
    size_t i;

    begin();
    for (i = 0; i < 3; i++) {
        CHECK_OK(ach_close(&chan));
        open_spinning(&chan, times[i]);
        CHECK_OK(ach_flush(&chan));
        CHECK_STATUS(get_until(&rel, ACH_O_RELTIME), ACH_TIMEOUT);
        CHECK_STATUS(get_until(&past, 0), ACH_TIMEOUT);
        waiter_start(&w, &chan, 0);
        check_sleep_ms(5);
        put_range(&writer, i + 1, i + 1);
        CHECK_OK(waiter_end(&w));
        CHECK(w.number == i + 1);
        waiter_start(&w, &chan, 0);
        check_sleep_ms(5);
        CHECK_OK(ach_cancel(&chan, NULL));
        CHECK_STATUS(waiter_end(&w), ACH_CANCELED);
    }
    finish();
}

static void readonly_waiter(int wake)
{
    ach_create_attr_t attr = create_attr();
    struct waiter w;
    uint64_t i;

    REQUIRE_OK(ach_create_attr_set_readonly_wake(&attr, wake));
    REQUIRE_OK(backend->create(CHAN, 8, 64, &attr));
    open_readonly(&chan, CHAN);
    open_it(&writer);
    for (i = 1; i <= 3; i++) {
        waiter_start(&w, &chan, 0);
        let_sleep();
        put_range(&writer, i, i);
        CHECK_OK(waiter_end(&w));
        CHECK(w.number == i);
    }
    finish();
}

static void readonly_sleeps(void)
{
    readonly_waiter(1);
}

static void readonly_polls(void)
{
    readonly_waiter(0);
}

static void on_alarm(int sig)
{
    (void)sig;
}

/* Signals do not end a wait. */
static void signals(void)
{
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    const struct timespec rel = ms(60);
    struct sigaction action = {.sa_handler = on_alarm};
    uint64_t start = check_now_ns();

    begin();
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    REQUIRE(setitimer(ITIMER_REAL, &often, NULL) == 0);
    CHECK_STATUS(get_until(&rel, ACH_O_RELTIME), ACH_TIMEOUT);
    CHECK(check_now_ns() - start >= 60000000);
    REQUIRE(setitimer(ITIMER_REAL, &never, NULL) == 0);
    finish();
}

/* When the handler had put or canceled; 0: not yet. And the waiter's deadline. */
static volatile uint64_t acted_at, late_at;

static void dawdle(void)
{
    acted_at = check_now_ns();
    while (check_now_ns() < late_at + 10000000)
        check_sleep_ms(10);
}

/* Signal handlers that return only after the waiter's deadline. */
static void put_and_dawdle(int sig)
{
    static const char text[16];
    int saved = errno;

    (void)sig;
    ach_put(&writer, text, sizeof(text));
    dawdle();
    errno = saved;
}

static void cancel_and_dawdle(int sig)
{
    int saved = errno;

    (void)sig;
    ach_cancel(&chan, NULL);
    dawdle();
    errno = saved;
}

/*
 * Wait once on a new channel, interrupted by the handler after a quarter of the timeout. True: it
 * acted before the deadline.
 */
static bool interrupted(void (*handler)(int), uint64_t spin_ns, bool many, long timeout_ms,
                        enum ach_status *r)
{
    const struct itimerval soon = {.it_value = {0, timeout_ms * 250}};
    const struct timespec rel = ms(timeout_ms);
    struct sigaction action = {.sa_handler = handler};
    ach_wait_item_t item = {.chan = &chan};

    begin();
    CHECK_OK(ach_close(&chan));
    open_spinning(&chan, spin_ns);
    acted_at = 0;
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    late_at = check_now_ns() + (uint64_t)timeout_ms * 1000000;
    REQUIRE(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    *r = many ? ach_wait(&item, 1, &rel, ACH_O_RELTIME) : get_until(&rel, ACH_O_RELTIME);
    while (!acted_at)
        check_sleep_ms(1);
    finish();
    return acted_at < late_at;
}

/* A slow or paused machine delivers the alarm too late: then try again, with more time. */
static enum ach_status wait_interrupted(void (*handler)(int), uint64_t spin_ns, bool many)
{
    enum ach_status r;
    long timeout_ms;

    for (timeout_ms = 40; timeout_ms <= 3840; timeout_ms += timeout_ms / 4)
        if (interrupted(handler, spin_ns, many, timeout_ms, &r))
            return r;
    REQUIRE(!"an alarm in time");
    return ACH_BUG;
}

/* A put or cancel before the deadline counts, even if the waiter runs only after it. */
static void late_waiter(void)
{
    static const uint64_t spin_ns[] = {0, 1000000000};
    size_t i;

    if (emulated() && sizeof(void *) == 8)
        skip("qemu-user gives handlers a stack that is not aligned");
    for (i = 0; i < 2; i++) {
        CHECK_OK(wait_interrupted(put_and_dawdle, spin_ns[i], false));
        CHECK_OK(wait_interrupted(put_and_dawdle, spin_ns[i], true));
        CHECK_STATUS(wait_interrupted(cancel_and_dawdle, spin_ns[i], true), ACH_CANCELED);
        CHECK_STATUS(wait_interrupted(cancel_and_dawdle, spin_ns[i], false), ACH_CANCELED);
    }
}

static void linked_unlink(void)
{
    struct waiter w;

    begin();
    waiter_start(&w, &chan, ACH_O_LINKED);
    let_sleep();
    remove_it();
    CHECK_STATUS(waiter_end(&w), ACH_ENOENT);
    CHECK_STATUS(get_until(NULL, ACH_O_LINKED), ACH_ENOENT);
    put_range(&writer, 1, 1);
    CHECK_OK(get_until(NULL, ACH_O_LINKED));
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&chan));
}

/* A plain rm wakes no waiter; waiters check the name by themselves. */
static void linked_rm(void)
{
    struct waiter w;

    begin();
    waiter_start(&w, &chan, ACH_O_LINKED);
    let_sleep();
    REQUIRE(unlink(path_of(CHAN)) == 0);
    CHECK_STATUS(waiter_end(&w), ACH_ENOENT);
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&chan));
}

/* Without ACH_O_LINKED a wait goes on although the name was removed. */
static void unlinked_goes_on(void)
{
    const struct timespec rel = ms(20);
    struct waiter w;

    begin();
    waiter_start(&w, &chan, 0);
    let_sleep();
    remove_it();
    put_range(&writer, 4, 4);
    CHECK_OK(waiter_end(&w));
    CHECK(w.number == 4);
    CHECK_STATUS(get_until(&rel, ACH_O_RELTIME), ACH_TIMEOUT);
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&chan));
}

/* It also spins as on any other channel: it raises no flag, so puts make no system call. */
static void unlinked_spins(void)
{
    struct waiter w;
    unsigned i;

    begin();
    CHECK_OK(ach_close(&chan));
    open_spinning(&chan, UINT64_MAX);
    remove_it();
    waiter_start(&w, &chan, 0);
    for (i = 0; i < 50; i++) {
        check_sleep_ms(1);
        CHECK(!(__atomic_load_n(&writer.shm->commit, __ATOMIC_RELAXED) & ACHI_WAITER));
    }
    put_range(&writer, 1, 1);
    CHECK_OK(waiter_end(&w));
    CHECK_OK(ach_close(&writer));
    CHECK_OK(ach_close(&chan));
}

static const struct test tests[] = {
    {"wait-expired", expired, ALL, NULL},
    {"wait-expired-but-there", expired_but_there, ALL, NULL},
    {"wait-invalid-times", invalid_times, ALL, NULL},
    {"wait-odd-durations", odd_durations, ALL, NULL},
    {"wait-times-before-zero", times_before_zero, ALL, NULL},
    {"wait-only-with-wait", only_with_wait, ALL, NULL},
    {"wait-not-too-early", not_too_early, ALL, NULL},
    {"wait-clocks", clocks, ALL, NULL},
    {"wait-right-clock", right_clock, ALL, NULL},
    {"wait-put-wakes", put_wakes, ALL, NULL},
    {"wait-copy-waits", copy_waits, ALL, NULL},
    {"wait-put-wakes-all", put_wakes_all, ALL, NULL},
    {"wait-far-away", far_away, ALL, NULL},
    {"wait-spinning", spinning, ALL, NULL},
    {"wait-readonly-sleeps", readonly_sleeps, ALL, NULL},
    {"wait-readonly-polls", readonly_polls, ALL, NULL},
    {"wait-signals", signals, ALL, NULL},
    {"wait-late", late_waiter, ALL, NULL},
    {"wait-linked-unlink", linked_unlink, NAMED, NO_NAME},
    {"wait-linked-rm", linked_rm, USER, NO_FILE},
    {"wait-unlinked-goes-on", unlinked_goes_on, NAMED, NO_NAME},
    {"wait-unlinked-spins", unlinked_spins, USER, NO_FILE},
};
THEME(wait_theme, tests);
