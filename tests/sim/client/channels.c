/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channels - waiting for messages: timeouts, sets, descriptors, two threads
 *
 * Every duration is exact, as in waits.c, here for the calls of libach.
 */
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>

#define MS 1000000ll

static struct timespec after(clockid_t clock, int64_t ns)
{
    struct timespec t;

    clock_gettime(clock, &t);
    ns += t.tv_nsec;
    return (struct timespec){.tv_sec = t.tv_sec + ns / 1000000000, .tv_nsec = ns % 1000000000};
}

#define TAKES(ms, statement)                                                                       \
    do {                                                                                           \
        uint64_t begin = check_now_ns();                                                           \
        statement;                                                                                 \
        if (check_now_ns() - begin != (ms)*MS) {                                                   \
            fprintf(stderr, "%s:%d: %s took %llu ns\n", __FILE__, __LINE__, #statement,            \
                    (unsigned long long)(check_now_ns() - begin));                                 \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

static ach_channel_t in, out, wall;

static void timeouts(void)
{
    struct timespec t = {.tv_nsec = 20 * MS};
    ach_wait_item_t items[] = {{.chan = &in}, {.chan = &wall}};
    char buf[16];
    size_t size;
    const void *place;

    TAKES(0, CHECK_STATUS(ach_get(&in, buf, sizeof(buf), &size, NULL, 0), ACH_EAGAIN));
    TAKES(20, CHECK_STATUS(ach_get(&in, buf, sizeof(buf), &size, &t, ACH_O_WAIT | ACH_O_RELTIME),
                           ACH_TIMEOUT));
    TAKES(20,
          CHECK_STATUS(ach_view(&in, &place, &size, &t, ACH_O_WAIT | ACH_O_RELTIME), ACH_TIMEOUT));
    t = after(CLOCK_MONOTONIC, 15 * MS);
    TAKES(15, CHECK_STATUS(ach_get(&in, buf, sizeof(buf), &size, &t, ACH_O_WAIT | ACH_O_LAST),
                           ACH_TIMEOUT));
    TAKES(0, CHECK_STATUS(ach_get(&in, buf, sizeof(buf), &size, &t, ACH_O_WAIT), ACH_TIMEOUT));
    t = after(CLOCK_REALTIME, 15 * MS);
    TAKES(15, CHECK_STATUS(ach_get(&wall, buf, sizeof(buf), &size, &t, ACH_O_WAIT), ACH_TIMEOUT));
    t = after(CLOCK_MONOTONIC, 4 * MS);
    TAKES(4, CHECK_STATUS(ach_wait(items, 2, &t, 0), ACH_TIMEOUT));
    t.tv_nsec = -1;
    CHECK_STATUS(ach_get(&in, buf, sizeof(buf), &size, &t, ACH_O_WAIT), ACH_EINVAL);
}

static void *writer(void *arg)
{
    void *place;

    (void)arg;
    usleep(10000);
    CHECK_OK(ach_put(&out, "one", 4));
    usleep(10000);
    CHECK_OK(ach_reserve(&out, 4, &place));
    memcpy(place, "two", 4);
    CHECK_OK(ach_commit(&out, 4));
    usleep(10000);
    CHECK_OK(ach_put(&out, "six", 4));
    usleep(10000);
    CHECK_OK(ach_put(&out, "ten", 4));
    usleep(10000);
    CHECK_OK(ach_cancel(&in, NULL));
    return NULL;
}

static void messages(void)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLET};
    struct pollfd p = {.events = POLLIN};
    ach_wait_item_t items[] = {{.chan = &in}, {.chan = &wall}};
    struct timespec when;
    int ep = epoll_create1(0);
    char buf[16];
    size_t size;
    pthread_t thread;
    uint64_t start = check_now_ns();

    CHECK_OK(ach_channel_fd(&in, &p.fd));
    CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, p.fd, &e) == 0);
    CHECK(pthread_create(&thread, NULL, writer, NULL) == 0);
    TAKES(10, CHECK_OK(ach_get(&in, buf, sizeof(buf), &size, NULL, ACH_O_WAIT)));
    CHECK(strcmp(buf, "one") == 0);
    CHECK_OK(ach_channel_timestamp(&in, &when));
    CHECK((uint64_t)(when.tv_sec * 1000000000ll + when.tv_nsec) == start + 10 * MS);
    TAKES(10, CHECK_OK(ach_wait(items, 2, NULL, 0)));
    CHECK(items[0].status == ACH_OK && items[1].status == ACH_EAGAIN);
    TAKES(0, CHECK(poll(&p, 1, 0) == 1));
    TAKES(0, CHECK_OK(ach_get(&in, buf, sizeof(buf), &size, NULL, ACH_O_WAIT)));
    TAKES(3, CHECK(poll(&p, 1, 3) == 0));
    TAKES(7, CHECK(poll(&p, 1, -1) == 1));
    TAKES(0, CHECK(epoll_wait(ep, &e, 1, 0) == 1));
    CHECK_OK(ach_get(&in, buf, sizeof(buf), &size, NULL, 0));
    CHECK_STATUS(ach_get(&in, buf, sizeof(buf), &size, NULL, 0), ACH_EAGAIN);
    TAKES(10, CHECK(epoll_wait(ep, &e, 1, 100) == 1));
    CHECK_OK(ach_flush(&in));
    TAKES(10, CHECK_STATUS(ach_get(&in, buf, sizeof(buf), &size, NULL, ACH_O_WAIT), ACH_CANCELED));
    TAKES(0, pthread_join(thread, NULL));
    close(ep);
}

int main(void)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_timestamps(&attr, 1);
    REQUIRE_OK(ach_create("simclient", 8, 16, &attr));
    ach_create_attr_set_clock(&attr, CLOCK_REALTIME);
    REQUIRE_OK(ach_create("simclient-wall", 8, 16, &attr));
    REQUIRE_OK(ach_open(&in, "simclient", NULL));
    REQUIRE_OK(ach_open(&out, "simclient", NULL));
    REQUIRE_OK(ach_open(&wall, "simclient-wall", NULL));
    timeouts();
    messages();
    CHECK_OK(ach_close(&in));
    CHECK_OK(ach_close(&out));
    CHECK_OK(ach_close(&wall));
    CHECK_OK(ach_unlink("simclient"));
    CHECK_OK(ach_unlink("simclient-wall"));
    return check_result();
}
