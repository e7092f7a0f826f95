/* SPDX-License-Identifier: BSD-3-Clause */
/* evhandle.c - the event loop of ach/experimental.h */
#include <ach/experimental.h>

#include "conformance.h"

static ach_channel_t one, two;

/* A letter for each call: a and b for the channels' handlers, p for the periodic function. */
static char events[64];
static enum ach_status periodic_answers = ACH_OK;
static size_t stop_after = sizeof(events) - 1;

static enum ach_status note(char event, enum ach_status answer)
{
    size_t n = strlen(events);

    events[n] = event;
    return n + 1 >= stop_after && answer == ACH_OK ? ACH_BUG : answer;
}

static enum ach_status take(void *context, ach_channel_t *chan)
{
    char buf[64];
    size_t size;
    enum ach_status r = ach_get(chan, buf, sizeof(buf), &size, NULL, ACH_O_LAST);

    return note(*(char *)context, r == ACH_MISSED_FRAME ? ACH_OK : r);
}

static enum ach_status leave(void *context, ach_channel_t *chan)
{
    ach_flush(chan);
    note(*(char *)context, ACH_OK);
    return ACH_EFAULT;
}

/* Does not get the message, and returns ACH_CLOSED in its fourth call. */
static enum ach_status hesitate(void *context, ach_channel_t *chan)
{
    if (strlen(events) == 3)
        return ACH_CLOSED;
    (void)chan;
    return note(*(char *)context, ACH_STALE_FRAMES);
}

/* Gets the message and puts another, so that there is always something new. */
static enum ach_status feed(void *context, ach_channel_t *chan)
{
    char buf[64];
    size_t size;

    (void)context;
    ach_get(chan, buf, sizeof(buf), &size, NULL, 0);
    return ach_put(chan, "x", 1);
}

static enum ach_status periodic(void *context)
{
    return note(*(char *)context, periodic_answers);
}

static struct ach_evhandler handlers[] = {{&one, "a", take}, {&two, "b", take}};

static void begin(void)
{
    make(4, 64);
    REQUIRE_OK(create("d", 4, 64));
    open_it(&one);
    open_named(&two, "d");
}

static void finish(void)
{
    CHECK_OK(ach_close(&one));
    CHECK_OK(ach_close(&two));
    remove_it();
    REQUIRE_OK(backend->unlink("d"));
}

static void dispatches(void)
{
    begin();
    put_range(&one, 1, 2);
    put_range(&two, 1, 1);
    stop_after = 2;
    CHECK_STATUS(ach_evhandle(handlers, 2, NULL, NULL, NULL, 0), ACH_BUG);
    CHECK(strcmp(events, "ab") == 0);
    finish();
}

static void only_those_with_news(void)
{
    begin();
    put_range(&two, 1, 1);
    stop_after = 1;
    CHECK_STATUS(ach_evhandle(handlers, 2, NULL, NULL, NULL, 0), ACH_BUG);
    CHECK(strcmp(events, "b") == 0);
    finish();
}

static void handler_ends_it(void)
{
    handlers[0].handler = leave;
    begin();
    put_range(&one, 1, 1);
    CHECK_STATUS(ach_evhandle(handlers, 2, NULL, periodic, "p", ACH_EV_O_PERIODIC_INPUT),
                 ACH_EFAULT);
    CHECK(strcmp(events, "a") == 0);
    finish();
}

static void stale_goes_on(void)
{
    handlers[0].handler = hesitate;
    begin();
    put_range(&one, 1, 1);
    CHECK_STATUS(ach_evhandle(handlers, 2, NULL, periodic, "p", ACH_EV_O_PERIODIC_INPUT),
                 ACH_CLOSED);
    CHECK(strcmp(events, "aaa") == 0);
    finish();
}

static void periodic_timeout(void)
{
    const struct timespec period = ms(10);
    uint64_t start;

    begin();
    stop_after = 3;
    start = check_now_ns();
    CHECK_STATUS(ach_evhandle(handlers, 2, &period, periodic, "p", ACH_EV_O_PERIODIC_TIMEOUT),
                 ACH_BUG);
    CHECK(check_now_ns() - start >= 30000000);
    CHECK(strcmp(events, "ppp") == 0);
    finish();
}

/* With the timeout alone, input does not call the periodic function. */
static void timeout_not_input(void)
{
    const struct timespec period = ms(10);

    begin();
    put_range(&one, 1, 1);
    put_range(&two, 1, 1);
    stop_after = 3;
    CHECK_STATUS(ach_evhandle(handlers, 2, &period, periodic, "p", ACH_EV_O_PERIODIC_TIMEOUT),
                 ACH_BUG);
    CHECK(strcmp(events, "abp") == 0);
    finish();
}

static void periodic_input(void)
{
    begin();
    put_range(&one, 1, 1);
    put_range(&two, 1, 1);
    stop_after = 3;
    CHECK_STATUS(ach_evhandle(handlers, 2, NULL, periodic, "p", ACH_EV_O_PERIODIC_INPUT), ACH_BUG);
    CHECK(strcmp(events, "abp") == 0);
    finish();
}

static void both(void)
{
    const struct timespec period = ms(10);

    begin();
    put_range(&two, 1, 1);
    stop_after = 4;
    CHECK_STATUS(ach_evhandle(handlers, 2, &period, periodic, "p",
                              ACH_EV_O_PERIODIC_TIMEOUT | ACH_EV_O_PERIODIC_INPUT),
                 ACH_BUG);
    CHECK(strcmp(events, "bppp") == 0);
    finish();
}

static void periodic_ends_it(void)
{
    const struct timespec period = ms(1);

    begin();
    periodic_answers = ACH_EACCES;
    CHECK_STATUS(ach_evhandle(handlers, 2, &period, periodic, "p", ACH_EV_O_PERIODIC_TIMEOUT),
                 ACH_EACCES);
    periodic_answers = ACH_STALE_FRAMES;
    CHECK(strcmp(events, "p") == 0);
    finish();
}

/* The periodic function is called in time even if a channel always has a new message. */
static void period_under_load(void)
{
    const struct timespec period = ms(5);

    handlers[0].handler = feed;
    begin();
    put_range(&one, 1, 1);
    stop_after = 2;
    CHECK_STATUS(ach_evhandle(handlers, 2, &period, periodic, "p", ACH_EV_O_PERIODIC_TIMEOUT),
                 ACH_BUG);
    CHECK(strcmp(events, "pp") == 0);
    finish();
}

static void canceled(void)
{
    begin();
    CHECK_OK(ach_cancel(&two, NULL));
    CHECK_STATUS(ach_evhandle(handlers, 2, NULL, NULL, NULL, 0), ACH_CANCELED);
    CHECK(events[0] == '\0');
    finish();
}

/* Without a channel it is a timer. */
static void timer(void)
{
    const struct timespec period = ms(1);

    begin();
    stop_after = 3;
    CHECK_STATUS(ach_evhandle(NULL, 0, &period, periodic, "p", ACH_EV_O_PERIODIC_TIMEOUT), ACH_BUG);
    CHECK(strcmp(events, "ppp") == 0);
    finish();
}

static void bad_arguments(void)
{
    const struct timespec good = ms(1), bad = {0, 1000000000};
    struct ach_evhandler broken[2] = {handlers[0], handlers[1]};

    begin();
    CHECK_STATUS(ach_evhandle(NULL, 1, &good, periodic, "p", 0), ACH_EINVAL);
    CHECK_STATUS(ach_evhandle(handlers, 0, &good, periodic, "p", 0), ACH_EINVAL);
    CHECK_STATUS(ach_evhandle(handlers, ACH_WAIT_MAX + 1, &good, periodic, "p", 0), ACH_EINVAL);
    CHECK_STATUS(ach_evhandle(handlers, 2, NULL, periodic, "p", ACH_EV_O_PERIODIC_TIMEOUT),
                 ACH_EINVAL);
    CHECK_STATUS(ach_evhandle(handlers, 2, &bad, periodic, "p", ACH_EV_O_PERIODIC_TIMEOUT),
                 ACH_EINVAL);
    CHECK_STATUS(ach_evhandle(handlers, 2, &good, periodic, "p", 4), ACH_EINVAL);
    broken[1].handler = NULL;
    CHECK_STATUS(ach_evhandle(broken, 2, NULL, NULL, NULL, 0), ACH_EINVAL);
    broken[0].channel = NULL;
    CHECK_STATUS(ach_evhandle(broken, 1, NULL, NULL, NULL, 0), ACH_EINVAL);
    finish();
}

static const struct test tests[] = {
    {"evhandle-dispatches", dispatches, ALL, NULL},
    {"evhandle-only-those-with-news", only_those_with_news, ALL, NULL},
    {"evhandle-timer", timer, ALL, NULL},
    {"evhandle-handler-ends-it", handler_ends_it, ALL, NULL},
    {"evhandle-stale-goes-on", stale_goes_on, ALL, NULL},
    {"evhandle-periodic-timeout", periodic_timeout, ALL, NULL},
    {"evhandle-timeout-not-input", timeout_not_input, ALL, NULL},
    {"evhandle-periodic-input", periodic_input, ALL, NULL},
    {"evhandle-both", both, ALL, NULL},
    {"evhandle-periodic-ends-it", periodic_ends_it, ALL, NULL},
    {"evhandle-period-under-load", period_under_load, ALL, NULL},
    {"evhandle-canceled", canceled, ALL, NULL},
    {"evhandle-bad-arguments", bad_arguments, ALL, NULL},
};
THEME(evhandle_theme, tests);
