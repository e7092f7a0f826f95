/* SPDX-License-Identifier: BSD-3-Clause */
/* cancel.c - making a waiting get return */
#include "conformance.h"

#include <sys/time.h>

static ach_channel_t chan;

static void begin(void)
{
    make(4, 64);
    open_it(&chan);
}

static void finish(void)
{
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void stays_canceled(void)
{
    ach_wait_item_t item = {.chan = &chan};
    const struct timespec past = {0};
    const void *view;
    uint64_t seq = 9;
    size_t size;

    begin();
    put_range(&chan, 1, 1);
    CHECK(chan.cancel == 0);
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK(chan.cancel != 0);
    CHECK_GET(&chan, 0, ACH_CANCELED, 0);
    CHECK_GET(&chan, ACH_O_LAST | ACH_O_COPY, ACH_CANCELED, 0);
    CHECK_GET(&chan, ACH_O_WAIT, ACH_CANCELED, 0);
    CHECK_STATUS(ach_flush(&chan), ACH_CANCELED);
    CHECK_STATUS(ach_view(&chan, &view, &size, NULL, 0), ACH_CANCELED);
    CHECK_STATUS(ach_wait(&item, 1, &past, 0), ACH_CANCELED);
    CHECK_OK(ach_channel_seq(&chan, &seq));
    CHECK(seq == 0);
    put_range(&chan, 2, 2);
    chan.cancel = 0;
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_OK(ach_flush(&chan));
    finish();
}

/* ach_cancel affects only its own handle. */
static void others_go_on(void)
{
    ach_channel_t other;

    begin();
    open_it(&other);
    put_range(&chan, 1, 1);
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK_GET(&other, 0, ACH_OK, 1);
    CHECK_OK(ach_close(&other));
    finish();
}

static void attributes(void)
{
    ach_cancel_attr_t attr;
    int unsafe;

    begin();
    ach_cancel_attr_init(&attr);
    CHECK(attr.async_unsafe == 0);
    for (unsafe = 0; unsafe < 2; unsafe++) {
        CHECK_OK(ach_cancel_attr_set_async_unsafe(&attr, unsafe));
        CHECK(attr.async_unsafe == unsafe);
        CHECK_OK(ach_cancel(&chan, &attr));
        CHECK_GET(&chan, 0, ACH_CANCELED, 0);
        chan.cancel = 0;
    }
    finish();
}

static void wakes_thread(void)
{
    struct waiter w;
    int i;

    begin();
    for (i = 0; i < 5; i++) {
        waiter_start(&w, &chan, 0);
        if (i)
            let_sleep();
        CHECK_OK(ach_cancel(&chan, NULL));
        CHECK_STATUS(waiter_end(&w), ACH_CANCELED);
        chan.cancel = 0;
    }
    finish();
}

static void *close_when_canceled(void *arg)
{
    uint32_t *ready = arg;
    uint64_t unused;
    size_t size;

    __atomic_store_n(ready, 1, __ATOMIC_RELEASE);
    while (ach_get(&chan, &unused, sizeof(unused), &size, NULL, ACH_O_WAIT) != ACH_CANCELED)
        ;
    CHECK_OK(ach_close(&chan));
    return NULL;
}

/* A waiter may close the handle as soon as it is canceled, while ach_cancel is still running. */
static void closed_at_once(void)
{
    int i, rounds = check_scale(3000);

    make(4, 64);
    for (i = 0; i < rounds; i++) {
        volatile int delay;
        uint32_t ready = 0;
        pthread_t thread;
        ach_attr_t attr;

        ach_attr_init(&attr);
        ach_attr_set_spin(&attr, i % 2 ? 1000000 : 0);
        REQUIRE_OK(backend->open(&chan, CHAN, &attr));
        REQUIRE(pthread_create(&thread, NULL, close_when_canceled, &ready) == 0);
        while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
            sched_yield();
        for (delay = 0; delay < i % 50 * 100; delay++)
            ;
        CHECK_OK(ach_cancel(&chan, NULL));
        pthread_join(thread, NULL);
        CHECK_STATUS(ach_cancel(&chan, NULL), ACH_CLOSED);
    }
    remove_it();
}

static void on_alarm(int sig)
{
    (void)sig;
    ach_cancel(&chan, NULL);
}

/* Cancel in a signal handler that interrupts the wait itself. No child process is used. */
static void signal_handler(void)
{
    const struct itimerval soon = {{0, 0}, {0, 20000}};
    struct sigaction action = {.sa_handler = on_alarm};
    unsigned before;
    int i;

    begin();
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    before = open_descriptors();
    for (i = 0; i < 5; i++) {
        REQUIRE(setitimer(ITIMER_REAL, &soon, NULL) == 0);
        CHECK_GET(&chan, ACH_O_WAIT, ACH_CANCELED, 0);
        chan.cancel = 0;
    }
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    CHECK(open_descriptors() == before);
    finish();
}

static void signal_handler_wait_many(void)
{
    const struct itimerval soon = {{0, 0}, {0, 20000}};
    struct sigaction action = {.sa_handler = on_alarm};
    ach_wait_item_t item = {.chan = &chan};

    begin();
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    REQUIRE(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    CHECK_STATUS(ach_wait(&item, 1, NULL, 0), ACH_CANCELED);
    finish();
}

/* ach_cancel does not change errno. */
static void keeps_errno(void)
{
    begin();
    errno = ERANGE;
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK(errno == ERANGE);
    finish();
}

static int cancel_and_wait(void *cx)
{
    const struct timespec soon = ms(20);
    char buf[64];
    size_t size;

    (void)cx;
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, NULL, ACH_O_WAIT), ACH_CANCELED);
    chan.cancel = 0;
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &size, &soon, ACH_O_WAIT | ACH_O_RELTIME),
                 ACH_TIMEOUT);
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK_OK(ach_close(&chan));
    return check_result();
}

/* A cancel in a child does not affect its parent, even if that waits on the same handle. */
static void forked(void)
{
    struct waiter w;

    make(4, 64);
    open_it(&chan);
    waiter_start(&w, &chan, 0);
    let_sleep();
    CHECK(run_child(cancel_and_wait, NULL));
    put_range(&chan, 1, 1);
    CHECK_OK(waiter_end(&w));
    CHECK(w.number == 1);
    waiter_start(&w, &chan, 0);
    CHECK(run_child(cancel_and_wait, NULL));
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK_STATUS(waiter_end(&w), ACH_CANCELED);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static const struct test tests[] = {
    {"cancel-stays-canceled", stays_canceled, ALL, NULL},
    {"cancel-others-go-on", others_go_on, ALL, NULL},
    {"cancel-attributes", attributes, ALL, NULL},
    {"cancel-wakes-thread", wakes_thread, ALL, NULL},
    {"cancel-closed-at-once", closed_at_once, ALL, NULL},
    {"cancel-signal-handler", signal_handler, ALL, NULL},
    {"cancel-signal-handler-wait-many", signal_handler_wait_many, ALL, NULL},
    {"cancel-forked", forked, NAMED, ONE_PROCESS},
    {"cancel-keeps-errno", keeps_errno, ALL, NULL},
};
THEME(cancel_theme, tests);
