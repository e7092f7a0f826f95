/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready.c - the descriptor of a handle says whether there is something to get
 *
 * Every test runs with each mechanism. A descriptor may become readable with a
 * delay; it is not readable as soon as the call that got the last message returns.
 */
#include "ready.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/select.h>

static ach_channel_t chan;
static int fd;

static void levels(void)
{
    int again;

    fd = ready_begin(&chan, 8);
    CHECK(!readable(fd));
    put_range(&chan, 1, 3);
    CHECK(becomes_readable(fd));
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK(readable(fd));
    CHECK_GET(&chan, 0, ACH_OK, 2);
    CHECK(readable(fd));
    CHECK_OK(ach_channel_fd(&chan, &again));
    CHECK(again == fd && readable(fd));
    CHECK_GET(&chan, 0, ACH_OK, 3);
    CHECK(!readable(fd));
    CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
    CHECK(!readable(fd));
    CHECK_OK(ach_channel_fd(&chan, &again));
    CHECK(again == fd && !readable(fd));
    ready_end(&chan);
}

/* Earlier messages make a new descriptor readable. It and those behind it are close-on-exec. */
static void late(void)
{
    ach_channel_t other;
    int i;

    fd = ready_begin(&chan, 8);
    put_range(&chan, 1, 1);
    open_it(&other);
    CHECK_OK(ach_channel_fd(&other, &i));
    CHECK(i != fd && readable(i));
    CHECK_GET(&other, 0, ACH_OK, 1);
    CHECK(!readable(i) && becomes_readable(fd));
    CHECK_OK(ach_close(&other));
    for (i = 3; i < 64; i++)
        if (is_of_kernel(i))
            CHECK(fcntl(i, F_GETFD) & FD_CLOEXEC);
    CHECK(is_of_kernel(fd));
    ready_end(&chan);
}

static void other_calls(void)
{
    const struct timespec soon = ms(20);
    const void *view;
    unsigned char small[4];
    size_t size;

    fd = ready_begin(&chan, 4);
    put_range(&chan, 1, 3);
    CHECK_GET(&chan, ACH_O_LAST, ACH_MISSED_FRAME, 3);
    CHECK(!readable(fd));
    put_range(&chan, 4, 13);
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, 0, ACH_MISSED_FRAME, 10);
    CHECK(readable(fd));
    CHECK_OK(ach_flush(&chan));
    CHECK(!readable(fd));
    put_range(&chan, 14, 14);
    CHECK(becomes_readable(fd));
    CHECK_STATUS(ach_get(&chan, small, sizeof(small), &size, NULL, 0), ACH_OVERFLOW);
    CHECK(readable(fd));
    CHECK_OK(ach_view(&chan, &view, &size, NULL, 0));
    CHECK(!readable(fd));
    CHECK_GET(&chan, ACH_O_COPY, ACH_OK, 14);
    CHECK(!readable(fd));
    CHECK_STATUS(ach_get(&chan, small, 4, &size, &soon, ACH_O_WAIT | ACH_O_RELTIME), ACH_TIMEOUT);
    CHECK(!readable(fd));
    put_range(&chan, 15, 15);
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, ACH_O_WAIT, ACH_OK, 15);
    CHECK(!readable(fd));
    ready_end(&chan);
}

static void by_select(void)
{
    struct timeval limit = {.tv_sec = READY_LIMIT_MS / 1000}, none = {0};
    fd_set set;

    fd = ready_begin(&chan, 4);
    FD_ZERO(&set);
    FD_SET(fd, &set);
    CHECK(select(fd + 1, &set, NULL, NULL, &none) == 0);
    put_range(&chan, 1, 1);
    FD_SET(fd, &set);
    CHECK(select(fd + 1, &set, NULL, NULL, &limit) == 1 && FD_ISSET(fd, &set));
    CHECK_GET(&chan, 0, ACH_OK, 1);
    FD_SET(fd, &set);
    CHECK(select(fd + 1, &set, NULL, NULL, &none) == 0);
    ready_end(&chan);
}

static int epoll_of(uint32_t events)
{
    struct epoll_event e = {.events = events};
    int ep = epoll_create1(EPOLL_CLOEXEC);

    REQUIRE(ep >= 0 && epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) == 0);
    return ep;
}

static int events_of(int ep, int limit_ms)
{
    struct epoll_event e;
    int n;

    do
        n = epoll_wait(ep, &e, 1, limit_ms);
    while (n < 0 && errno == EINTR);
    return n;
}

static void by_epoll(void)
{
    int ep;

    fd = ready_begin(&chan, 4);
    ep = epoll_of(EPOLLIN);
    CHECK(events_of(ep, 0) == 0);
    put_range(&chan, 1, 2);
    CHECK(events_of(ep, READY_LIMIT_MS) == 1);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK(events_of(ep, 0) == 1);
    CHECK_GET(&chan, 0, ACH_OK, 2);
    CHECK(events_of(ep, 0) == 0);
    close(ep);
    ready_end(&chan);
}

/* There is an edge each time that a message arrives after all were got. */
static void by_edge(void)
{
    uint64_t i, n = check_scale(200);
    int ep;

    fd = ready_begin(&chan, 4);
    ep = epoll_of(EPOLLIN | EPOLLET);
    CHECK(events_of(ep, 0) == 0);
    for (i = 1; i <= 2 * n; i += 2) {
        put_range(&chan, i, i + 1);
        REQUIRE(events_of(ep, READY_LIMIT_MS) == 1);
        CHECK_GET(&chan, 0, ACH_OK, i);
        CHECK_GET(&chan, 0, ACH_OK, i + 1);
        CHECK_GET(&chan, 0, ACH_EAGAIN, 0);
        CHECK(!readable(fd));
    }
    close(ep);
    ready_end(&chan);
}

static void *put_later(void *cx)
{
    uint64_t i;

    for (i = 1; i <= 50; i++) {
        check_sleep_ms(1);
        put_range(cx, i, i);
    }
    return NULL;
}

/* The usual loop, in one thread, while another one puts. */
static void loop(void)
{
    ach_channel_t writer;
    pthread_t thread;
    uint64_t number = 0;

    fd = ready_begin(&chan, 64);
    open_it(&writer);
    REQUIRE(pthread_create(&thread, NULL, put_later, &writer) == 0);
    while (number < 50) {
        enum ach_status r;

        REQUIRE(becomes_readable(fd));
        while ((r = get_number(&chan, &number, 0)) == ACH_OK)
            ;
        REQUIRE(r == ACH_EAGAIN);
    }
    pthread_join(thread, NULL);
    CHECK(!readable(fd));
    CHECK(info_of(&chan).missed == 0);
    CHECK_OK(ach_close(&writer));
    ready_end(&chan);
}

static void replaced(void)
{
    ach_create_attr_t attr = create_attr();

    fd = ready_begin(&chan, 4);
    put_range(&chan, 1, 1);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK(!readable(fd));
    attr.truncate = 1;
    CHECK_OK(backend->create(CHAN, 4, 64, &attr));
    CHECK(becomes_readable(fd));
    CHECK_GET(&chan, 0, ACH_CORRUPT, 0);
    CHECK(readable(fd));
    ready_end(&chan);
}

static void readonly_of(bool wake)
{
    ach_create_attr_t attr = create_attr();
    ach_channel_t writer;
    uint64_t i;

    ready_mechanism();
    attr.readonly_wake = wake;
    REQUIRE_OK(backend->create(CHAN, 4, 64, &attr));
    open_it(&writer);
    open_readonly(&chan, CHAN);
    REQUIRE_OK(ach_channel_fd(&chan, &fd));
    CHECK(info_of(&chan).ready ==
          (wake || backend->bit == KERNEL ? ready_wanted : ACH_READY_THREAD));
    for (i = 1; i < 20; i++) {
        CHECK(!readable(fd));
        put_range(&writer, i, i);
        CHECK(becomes_readable(fd));
        CHECK_GET(&chan, 0, ACH_OK, i);
    }
    CHECK(!readable(fd));
    CHECK_OK(ach_cancel(&chan, NULL));
    CHECK(becomes_readable(fd));
    CHECK_OK(ach_close(&writer));
    ready_end(&chan);
}

static void readonly(void)
{
    readonly_of(true);
    readonly_of(false);
}

READY_TEST(levels)
READY_TEST(late)
READY_TEST(other_calls)
READY_TEST(by_select)
READY_TEST(by_epoll)
READY_TEST(by_edge)
READY_TEST(loop)
READY_TEST(replaced)
READY_TEST(readonly)

static const struct test tests[] = {
    READY_ROWS("fd-levels", levels, MEMORY, IS_A_FILE),
    READY_ROWS("fd-late", late, MEMORY, IS_A_FILE),
    READY_ROWS("fd-other-calls", other_calls, MEMORY, IS_A_FILE),
    READY_ROWS("fd-select", by_select, MEMORY, IS_A_FILE),
    READY_ROWS("fd-epoll", by_epoll, MEMORY, IS_A_FILE),
    READY_ROWS("fd-epoll-edge", by_edge, MEMORY, IS_A_FILE),
    READY_ROWS("fd-loop", loop, MEMORY, IS_A_FILE),
    READY_ROWS("fd-replaced", replaced, USER, NO_FILE),
    READY_ROWS("fd-readonly", readonly, MEMORY, IS_A_FILE),
};
THEME(ready_theme, tests);
