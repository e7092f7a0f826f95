/* SPDX-License-Identifier: BSD-3-Clause */
/* many.c - waiting for several channels at once */
#include "conformance.h"

#include <sys/time.h>

static ach_channel_t chans[ACH_WAIT_MAX + 1];
static ach_wait_item_t items[ACH_WAIT_MAX + 1];

static const char *name_of(size_t i)
{
    static char name[16];

    snprintf(name, sizeof(name), "c%zu", i);
    return name;
}

static void begin(size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        REQUIRE_OK(create(name_of(i), 4, 64));
        open_named(&chans[i], name_of(i));
        items[i] = (ach_wait_item_t){.chan = &chans[i], .status = ACH_BUG};
    }
}

static void finish(size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        CHECK_OK(ach_close(&chans[i]));
        CHECK_OK(backend->unlink(name_of(i)));
    }
}

/* Exactly the item with this number has something new. */
static void check_only(size_t n, size_t ready)
{
    size_t i;

    for (i = 0; i < n; i++)
        CHECK_STATUS(items[i].status, i == ready ? ACH_OK : ACH_EAGAIN);
}

static void ready_at_once(void)
{
    const struct timespec past = {0};

    begin(3);
    put_range(&chans[1], 1, 1);
    CHECK_OK(ach_wait(items, 3, NULL, 0));
    check_only(3, 1);
    CHECK_OK(ach_wait(items, 3, &past, 0));
    check_only(3, 1);
    CHECK(info_of(&chans[1]).seen == 0);
    CHECK_GET(&chans[1], 0, ACH_OK, 1);
    CHECK_STATUS(ach_wait(items, 3, &past, 0), ACH_TIMEOUT);
    put_range(&chans[0], 1, 1);
    put_range(&chans[2], 1, 1);
    CHECK_OK(ach_wait(items, 3, NULL, 0));
    CHECK(items[0].status == ACH_OK && items[1].status == ACH_EAGAIN && items[2].status == ACH_OK);
    finish(3);
}

static void timeouts(void)
{
    static const struct timespec bad[] = {{0, 1000000000}, {0, -1}, {-1, -1}};
    const struct timespec rel = ms(30), past = clock_in(CLOCK_MONOTONIC, -5);
    uint64_t start;
    size_t i;

    begin(2);
    CHECK_STATUS(ach_wait(items, 2, &past, 0), ACH_TIMEOUT);
    check_only(2, 9);
    start = check_now_ns();
    CHECK_STATUS(ach_wait(items, 2, &rel, ACH_O_RELTIME), ACH_TIMEOUT);
    CHECK(check_now_ns() - start >= 30000000);
    for (i = 0; i < 3; i++)
        CHECK_STATUS(ach_wait(items, 2, &bad[i], 0), ACH_EINVAL);
    finish(2);
}

/* Deadlines of ach_wait are on CLOCK_MONOTONIC, whatever clock the channels use. */
static void monotonic(void)
{
    const struct timespec soon = clock_in(CLOCK_MONOTONIC, 20);
    ach_create_attr_t attr = create_attr();
    ach_wait_item_t item = {.chan = &chans[0]};
    uint64_t end;

    REQUIRE_OK(ach_create_attr_set_clock(&attr, CLOCK_REALTIME));
    REQUIRE_OK(backend->create(CHAN, 4, 64, &attr));
    open_it(&chans[0]);
    CHECK_STATUS(ach_wait(&item, 1, &soon, 0), ACH_TIMEOUT);
    end = check_now_ns();
    CHECK(end >= (uint64_t)ns_of(&soon));
    CHECK_OK(ach_close(&chans[0]));
    remove_it();
}

struct waiting {
    pthread_t thread;
    size_t n;
    int options;
    enum ach_status status;
};

static void *wait_thread(void *cx)
{
    struct waiting *w = cx;

    w->status = ach_wait(items, w->n, NULL, w->options);
    return NULL;
}

static void start(struct waiting *w, size_t n, int options)
{
    *w = (struct waiting){.n = n, .options = options};
    REQUIRE(pthread_create(&w->thread, NULL, wait_thread, w) == 0);
    let_sleep();
}

static enum ach_status end_of(struct waiting *w)
{
    REQUIRE(pthread_join(w->thread, NULL) == 0);
    return w->status;
}

static void wakes(size_t n, size_t which)
{
    struct waiting w;
    ach_channel_t writer;

    open_named(&writer, name_of(which));
    start(&w, n, 0);
    put_range(&writer, 1, 1);
    CHECK_OK(end_of(&w));
    check_only(n, which);
    CHECK_OK(ach_flush(&chans[which]));
    CHECK_OK(ach_close(&writer));
}

static void wakes_any(void)
{
    size_t i;

    begin(4);
    for (i = 0; i < 4; i++)
        wakes(4, i);
    finish(4);
}

static void the_most(void)
{
    begin(ACH_WAIT_MAX);
    wakes(ACH_WAIT_MAX, 0);
    wakes(ACH_WAIT_MAX, ACH_WAIT_MAX - 1);
    finish(ACH_WAIT_MAX);
}

static void too_many(void)
{
    const struct timespec past = {0};
    size_t i;

    begin(1);
    for (i = 0; i <= ACH_WAIT_MAX; i++)
        items[i] = items[0];
    CHECK_STATUS(ach_wait(items, ACH_WAIT_MAX + 1, &past, 0), ACH_EINVAL);
    CHECK_STATUS(ach_wait(items, ACH_WAIT_MAX, &past, 0), ACH_TIMEOUT);
    CHECK_STATUS(ach_wait(items, 0, &past, 0), ACH_EINVAL);
    CHECK_STATUS(ach_wait(NULL, 1, &past, 0), ACH_EINVAL);
    items[1].chan = NULL;
    CHECK_STATUS(ach_wait(items, 2, &past, 0), ACH_EINVAL);
    finish(1);
}

static void closed(void)
{
    const struct timespec past = {0};

    begin(2);
    CHECK_OK(ach_close(&chans[1]));
    CHECK_STATUS(ach_wait(items, 2, &past, 0), ACH_CLOSED);
    open_named(&chans[1], "c1");
    finish(2);
}

static void canceled(void)
{
    struct waiting w;
    size_t i;

    begin(3);
    for (i = 0; i < 3; i++) {
        start(&w, 3, 0);
        CHECK_OK(ach_cancel(&chans[i], NULL));
        CHECK_STATUS(end_of(&w), ACH_CANCELED);
        chans[i].cancel = 0;
    }
    finish(3);
}

static void unlinked(void)
{
    const struct timespec past = {0};
    struct waiting w;

    begin(2);
    start(&w, 2, ACH_O_LINKED);
    REQUIRE_OK(backend->unlink("c1"));
    CHECK_OK(end_of(&w));
    CHECK(items[0].status == ACH_EAGAIN && items[1].status == ACH_ENOENT);
    CHECK_STATUS(ach_wait(items, 2, &past, 0), ACH_TIMEOUT);
    REQUIRE_OK(create("c1", 4, 64));
    finish(2);
}

static void removed(void)
{
    struct waiting w;

    begin(2);
    start(&w, 2, ACH_O_LINKED);
    REQUIRE(unlink(path_of("c1")) == 0);
    CHECK_OK(end_of(&w));
    CHECK(items[0].status == ACH_EAGAIN && items[1].status == ACH_ENOENT);
    REQUIRE_OK(create("c1", 4, 64));
    finish(2);
}

static void replaced(void)
{
    ach_create_attr_t attr = create_attr();
    struct waiting w;

    begin(2);
    start(&w, 2, 0);
    REQUIRE_OK(ach_create_attr_set_truncate(&attr, 1));
    REQUIRE_OK(backend->create("c0", 4, 64, &attr));
    CHECK_OK(end_of(&w));
    CHECK(items[0].status == ACH_CORRUPT && items[1].status == ACH_EAGAIN);
    finish(2);
}

/* Read-only handles among others. */
static void readonly(void)
{
    begin(2);
    CHECK_OK(ach_close(&chans[0]));
    open_readonly(&chans[0], "c0");
    wakes(2, 0);
    wakes(2, 1);
    finish(2);
}

static void on_alarm(int sig)
{
    (void)sig;
}

/* A signal ends a wait with ACH_O_INTERRUPT, even if its handler was installed with SA_RESTART. */
static void interrupted(void)
{
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    const struct timespec rel = ms(30);
    size_t n;

    if (emulated())
        skip("qemu-user does not come back from a signal beside a helper thread");
    begin(2);
    CHECK_STATUS(ach_wait(items, 2, &rel, ACH_O_RELTIME | ACH_O_INTERRUPT), ACH_TIMEOUT);
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    REQUIRE(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (n = 1; n <= 2; n++) {
        CHECK_STATUS(ach_wait(items, n, NULL, ACH_O_INTERRUPT), ACH_EINTR);
        CHECK_STATUS(ach_wait(items, n, &rel, ACH_O_RELTIME), ACH_TIMEOUT);
    }
    put_range(&chans[1], 1, 1);
    CHECK_OK(ach_wait(items, 2, NULL, ACH_O_INTERRUPT));
    check_only(2, 1);
    REQUIRE(setitimer(ITIMER_REAL, &never, NULL) == 0);
    CHECK_GET(&chans[1], 0, ACH_OK, 1);
    CHECK_STATUS(ach_wait(items, 2, &rel, ACH_O_RELTIME | ACH_O_INTERRUPT), ACH_TIMEOUT);
    finish(2);
}

static const struct test tests[] = {
    {"many-ready-at-once", ready_at_once, ALL, NULL},
    {"many-timeouts", timeouts, ALL, NULL},
    {"many-monotonic", monotonic, ALL, NULL},
    {"many-wakes-any", wakes_any, ALL, NULL},
    {"many-the-most", the_most, ALL, NULL},
    {"many-too-many", too_many, ALL, NULL},
    {"many-closed", closed, ALL, NULL},
    {"many-canceled", canceled, ALL, NULL},
    {"many-interrupted", interrupted, ALL, NULL},
    {"many-unlinked", unlinked, NAMED, NO_NAME},
    {"many-removed", removed, USER, NO_FILE},
    {"many-replaced", replaced, NAMED, NO_NAME},
    {"many-readonly", readonly, ALL, NULL},
};
THEME(many_theme, tests);
