/* SPDX-License-Identifier: BSD-3-Clause */
/* anticipate.c - handles that are awake when periodic messages come */
#include "conformance.h"

#include <sched.h>

#include "layout.h"
#include "lower.h"

#define PERIOD_US 2000
#define WINDOWS 20u
#define MESSAGES_MAX 300u
#define HURRIED_US 500

static ach_channel_t chan, other;

/* A thread that puts numbers until it is stopped. */
static struct {
    pthread_t thread;
    ach_channel_t chan;
    int stop;
    uint64_t number;
    long period_us, jitter_us;
    unsigned lowered; /* puts before which no flag was up */
} writer;

static void *write_all(void *unused)
{
    struct timespec next = clock_in(CLOCK_MONOTONIC, 10), at;
    uint64_t random = 1;

    (void)unused;
    while (!__atomic_load_n(&writer.stop, __ATOMIC_RELAXED)) {
        long late =
            writer.jitter_us ? (long)(check_random(&random) % (uint64_t)writer.jitter_us) : 0;

        writer.lowered +=
            !(__atomic_load_n(&writer.chan.shm->commit, __ATOMIC_RELAXED) & ACHI_WAITER);
        CHECK_OK(put_number(&writer.chan, ++writer.number, 16));
        next.tv_nsec += writer.period_us * 1000;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        at = next;
        at.tv_nsec += late * 1000;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    }
    return NULL;
}

static void start_writer(long period_us, long jitter_us)
{
    open_it(&writer.chan);
    writer.stop = 0;
    writer.number = 0;
    writer.lowered = 0;
    writer.period_us = period_us;
    writer.jitter_us = jitter_us;
    REQUIRE(pthread_create(&writer.thread, NULL, write_all, NULL) == 0);
}

static void stop_writer(void)
{
    __atomic_store_n(&writer.stop, 1, __ATOMIC_RELAXED);
    REQUIRE(pthread_join(writer.thread, NULL) == 0);
    CHECK_OK(ach_close(&writer.chan));
}

static void open_anticipating(ach_channel_t *c, uint32_t budget)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    CHECK_OK(ach_attr_set_anticipate(&attr, budget, 1));
    REQUIRE_OK(backend->open(c, CHAN, &attr));
}

static void make_anticipated(bool anticipated)
{
    ach_create_attr_t attr = create_attr();

    ach_create_attr_set_timestamps(&attr, 1);
    ach_create_attr_set_anticipated(&attr, anticipated);
    REQUIRE_OK(backend->create(CHAN, 64, 64, &attr));
}

static void make_stamped(void)
{
    make_anticipated(false);
}

static ach_anticipation_t learnt(const ach_channel_t *c)
{
    ach_anticipation_t a;

    REQUIRE_OK(ach_channel_anticipation(c, &a));
    CHECK(a.hits <= a.windows);
    return a;
}

/* The next number, which must be larger. */
static enum ach_status get_next(uint64_t *last, const struct timespec *timeout)
{
    uint64_t number = 0;
    char buf[64];
    size_t size;
    enum ach_status r =
        ach_get(&chan, buf, sizeof(buf), &size, timeout, ACH_O_WAIT | ACH_O_RELTIME);

    if (r != ACH_OK && r != ACH_MISSED_FRAME)
        return r;
    CHECK(message_whole(buf, size, &number));
    CHECK(r == ACH_MISSED_FRAME ? number > *last : number == *last + 1);
    *last = number;
    return r;
}

/*
 * Get messages until so many windows more were opened. On a machine whose timers are bad there may
 * be none; conformance-windows shows in simulated time that there are.
 */
static void get_in_windows(uint64_t *last, unsigned more)
{
    const struct timespec limit = ms((long)check_time(20000));
    uint64_t begun = learnt(&chan).windows, end = *last + MESSAGES_MAX;

    while (learnt(&chan).windows < begun + more && *last < end)
        CHECK(get_next(last, &limit) != ACH_TIMEOUT);
}

static void attributes(void)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    CHECK(attr.anticipate_budget == 0 && attr.anticipate_forced == 0);
    CHECK_STATUS(ach_attr_set_anticipate(NULL, 0, 0), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_anticipate(&attr, 1000001, 0), ACH_EINVAL);
    CHECK_OK(ach_attr_set_anticipate(&attr, 1000000, 2));
    CHECK(attr.anticipate_budget == 1000000 && attr.anticipate_forced == 1);
    CHECK_STATUS(ach_create_attr_set_anticipated(NULL, 1), ACH_EINVAL);
    make(8, 64);
    attr.anticipate_budget = 1000001;
    CHECK_STATUS(backend->open(&chan, CHAN, &attr), ACH_EINVAL);
    remove_it();
}

static uint32_t budget_from(const char *text)
{
    uint32_t budget;

    setenv("ACH_WAIT", text, 1);
    open_it(&chan);
    budget = learnt(&chan).budget;
    CHECK_OK(ach_close(&chan));
    return budget;
}

static void environment(void)
{
    static const char *const bad[] = {"anticipate:",  "anticipate:0",  "anticipate:101",
                                      "anticipate:x", "anticipate:5 ", "anticipated",
                                      "spin:",        "spin:-1",       "asleep"};
    ach_attr_t attr;
    size_t i;

    make(8, 64);
    unsetenv("ACH_WAIT");
    open_it(&chan);
    CHECK(learnt(&chan).budget == 0);
    CHECK_OK(ach_close(&chan));
    CHECK(budget_from("") == 0);
    CHECK(budget_from("sleep") == 0);
    CHECK(budget_from("spin") == 0);
    CHECK(budget_from("spin:20") == 0);
    CHECK(budget_from("anticipate") == 20000);
    CHECK(budget_from("anticipate:0.5") == 5000);
    CHECK(budget_from("anticipate:100") == 1000000);
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        setenv("ACH_WAIT", bad[i], 1);
        ach_attr_init(&attr);
        CHECK_STATUS(backend->open(&chan, CHAN, &attr), ACH_EINVAL);
        CHECK(strstr(ach_errstr(), "ACH_WAIT") != NULL);
        ach_attr_set_anticipate(&attr, 30000, 0); /* it needs no environment */
        CHECK_OK(backend->open(&chan, CHAN, &attr));
        CHECK(learnt(&chan).budget == 30000);
        CHECK_OK(ach_close(&chan));
    }
    unsetenv("ACH_WAIT");
    remove_it();
}

static void no_anticipation(void)
{
    ach_anticipation_t a;

    unsetenv("ACH_WAIT");
    make(8, 64);
    open_it(&chan);
    put_range(&chan, 1, 3);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    a = learnt(&chan);
    CHECK(!a.budget && !a.windows && !a.period && !a.spent);
    CHECK_STATUS(ach_channel_anticipation(&chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_anticipation(NULL, &a), ACH_EINVAL);
    CHECK_OK(ach_close(&chan));
    CHECK_STATUS(ach_channel_anticipation(&chan, &a), ACH_CLOSED);
    remove_it();
}

/* Each message comes once and in order, and the period is found. */
static void finds_period(bool stamped, long jitter_us)
{
    ach_anticipation_t a;
    uint64_t last = 0;

    if (stamped)
        make_stamped();
    else
        make(64, 64);
    open_anticipating(&chan, 1000000);
    start_writer(PERIOD_US, jitter_us);
    get_in_windows(&last, WINDOWS);
    stop_writer();
    a = learnt(&chan);
    CHECK(a.budget == 1000000 && a.on && (a.windows == 0) == (a.spent == 0));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void periodic(void)
{
    finds_period(false, 0);
}

static void periodic_with_stamps(void)
{
    finds_period(true, 0);
}

static void periodic_with_jitter(void)
{
    finds_period(true, 100);
}

/* Once nearly all windows find their message, the flag is down in them. */
static void lowered(void)
{
    uint64_t last = 0;
    ach_anticipation_t a;

    make_anticipated(true);
    open_anticipating(&chan, 1000000);
    CHECK(info_of(&chan).anticipated);
    if (!lower_flag(&chan, backend->bit == HEAP)) {
        CHECK_OK(ach_close(&chan));
        remove_it();
        skip("this kernel cannot clear a flag and wake in one step");
    }
    start_writer(PERIOD_US, 0);
    get_in_windows(&last, 3 * WINDOWS);
    stop_writer();
    a = learnt(&chan);
    CHECK(writer.lowered > 0 || a.windows < 2 * WINDOWS || a.hits * 10 < a.windows * 9);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static uint64_t sleeper_got;

static void *get_all(void *messages)
{
    uint64_t number, last = 0;

    sleeper_got = 0;
    while (last < *(uint64_t *)messages) {
        enum ach_status r = get_number(&other, &number, ACH_O_WAIT);

        CHECK(r == ACH_MISSED_FRAME ? number > last : r == ACH_OK && number == last + 1);
        last = number;
        sleeper_got++;
    }
    return NULL;
}

/* A sleeper on the same channel is woken when the flag is lowered, and misses nothing. */
static void lowered_beside_sleeper(void)
{
    const struct timespec limit = ms((long)check_time(20000));
    uint64_t last = 0, messages = MESSAGES_MAX;
    pthread_t thread;

    make_anticipated(true);
    open_anticipating(&chan, 1000000);
    open_it(&other);
    REQUIRE(pthread_create(&thread, NULL, get_all, &messages) == 0);
    start_writer(PERIOD_US, 0);
    while (last < messages)
        CHECK(get_next(&last, &limit) != ACH_TIMEOUT);
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK(sleeper_got > MESSAGES_MAX / 5); /* a sleeper that is not woken sleeps for a second */
    stop_writer();
    CHECK_OK(ach_close(&other));
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void not_in_kernel(void)
{
    ach_create_attr_t attr = create_attr();

    ach_create_attr_set_anticipated(&attr, 1);
    CHECK_STATUS(backend->create(CHAN, 8, 64, &attr), ACH_ENOTSUP);
}

/* After the messages have ended, a wait ends at its deadline, and the windows end too. */
static void deadline(void)
{
    uint64_t last = 0, start, windows;
    long us;

    make_stamped();
    open_anticipating(&chan, 1000000);
    start_writer(PERIOD_US, 0);
    get_in_windows(&last, 5);
    stop_writer();
    for (us = 0; us < 4 * PERIOD_US; us += PERIOD_US / 8) {
        const struct timespec timeout = {.tv_nsec = us * 1000};
        enum ach_status r;

        do {
            start = check_now_ns();
            r = get_next(&last, &timeout);
        } while (r == ACH_OK || r == ACH_MISSED_FRAME);
        CHECK(r == ACH_TIMEOUT && check_now_ns() - start >= (uint64_t)us * 1000);
    }
    check_sleep_ms(20);
    windows = learnt(&chan).windows;
    CHECK_STATUS(get_next(&last, &(struct timespec){.tv_nsec = 100000000}), ACH_TIMEOUT);
    CHECK(learnt(&chan).windows <= windows + 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void *wait_all(void *unused)
{
    ach_wait_item_t item = {.chan = &chan};
    enum ach_status r;

    (void)unused;
    do {
        r = ach_wait(&item, 1, NULL, 0);
        if (r == ACH_OK)
            r = ach_flush(&chan); /* it may be canceled by then */
    } while (r == ACH_OK);
    CHECK_STATUS(r, ACH_CANCELED);
    return NULL;
}

/* A wait is canceled: before a window, in it and behind it. */
static void canceled(void)
{
    uint64_t last = 0;
    pthread_t thread;
    long i;

    for (i = 0; i < 20; i++) {
        const struct timespec pause = {.tv_nsec = (3 * PERIOD_US + i * PERIOD_US / 20) * 1000};

        make_stamped();
        open_anticipating(&chan, 1000000);
        start_writer(PERIOD_US, 0);
        last = 0;
        get_in_windows(&last, 1);
        REQUIRE(pthread_create(&thread, NULL, wait_all, NULL) == 0);
        nanosleep(&pause, NULL);
        CHECK_OK(ach_cancel(&chan, NULL));
        REQUIRE(pthread_join(thread, NULL) == 0);
        stop_writer();
        CHECK_OK(ach_close(&chan));
        remove_it();
    }
}

/* ach_wait for a periodic channel and for another one, which is not forgotten in the windows. */
static void with_another(void)
{
    ach_wait_item_t items[] = {{.chan = &chan}, {.chan = &other}};
    ach_channel_t out;
    uint64_t last = 0, number, sent = 0, heard = 0;
    uint64_t end = check_now_ns() + check_time(60000000000ull);
    ach_create_attr_t attr = create_attr();

    make_stamped();
    REQUIRE_OK(backend->create("other", 64, 64, &attr));
    open_anticipating(&chan, 1000000);
    open_named(&other, "other");
    open_named(&out, "other");
    start_writer(PERIOD_US, 0);
    while ((learnt(&chan).windows < WINDOWS && last < MESSAGES_MAX) || heard < WINDOWS) {
        REQUIRE(check_now_ns() < end);
        CHECK_OK(ach_wait(items, 2, NULL, 0));
        if (items[0].status == ACH_OK && get_next(&last, NULL) == ACH_OK && last % 3 == 0)
            CHECK_OK(put_number(&out, ++sent, 16));
        if (items[1].status == ACH_OK) {
            CHECK_OK(get_number(&other, &number, 0));
            CHECK(number == ++heard);
        }
    }
    stop_writer();
    CHECK_OK(ach_close(&out));
    CHECK_OK(ach_close(&other));
    CHECK_OK(ach_close(&chan));
    REQUIRE_OK(backend->unlink("other"));
    remove_it();
}

/* Without a budget to speak of nothing changes, and no window is opened. */
static void poor(void)
{
    const struct timespec limit = ms((long)check_time(20000));
    uint64_t last = 0;

    make_stamped();
    open_anticipating(&chan, 1);
    start_writer(HURRIED_US, 0);
    while (last < 200)
        get_next(&last, &limit);
    stop_writer();
    CHECK(learnt(&chan).windows == 0);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

#define ALWAYS_CALLS "puts into kernel channels are system calls"

static const struct test tests[] = {
    {"anticipate-attributes", attributes, ALL, NULL},
    {"anticipate-environment", environment, ALL, NULL},
    {"anticipate-not", no_anticipation, ALL, NULL},
    {"anticipate-periodic", periodic, ALL, NULL},
    {"anticipate-stamps", periodic_with_stamps, ALL, NULL},
    {"anticipate-jitter", periodic_with_jitter, ALL, NULL},
    {"anticipate-deadline", deadline, ALL, NULL},
    {"anticipate-cancel", canceled, ALL, NULL},
    {"anticipate-two", with_another, NAMED, NO_NAME},
    {"anticipate-poor", poor, ALL, NULL},
    {"anticipate-lowered", lowered, MEMORY, ALWAYS_CALLS},
    {"anticipate-lowered-sleeper", lowered_beside_sleeper, MEMORY, ALWAYS_CALLS},
    {"anticipate-kernel", not_in_kernel, KERNEL, "other channels can be anticipated"},
};

THEME(anticipate_theme, tests);
