/* SPDX-License-Identifier: BSD-3-Clause */
/* clocks.c - clocks and sleeps */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <threads.h>

#include "cases.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int __clock_gettime(clockid_t clock, struct timespec *t) OLDER;
int __clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                      struct timespec *left) OLDER;
int __nanosleep(const struct timespec *t, struct timespec *left) OLDER;
int __gettimeofday(struct timeval *t, void *zone) OLDER;
int __poll(struct pollfd *p, nfds_t n, int timeout) OLDER;
int __select(int n, fd_set *in, fd_set *out, fd_set *bad, struct timeval *t) OLDER;
int __poll_chk(struct pollfd *p, nfds_t n, int timeout, size_t room) OLDER;
int __ppoll_chk(struct pollfd *p, nfds_t n, const struct timespec *t, const sigset_t *s,
                size_t room) OLDER;

/* All clocks show the same virtual time. It begins at 0 and stands while the program computes. */
static void clock_case(void)
{
    struct timespec a, b;
    struct timeval v, w;
    struct timeb f;
    struct sysinfo info;
    struct tms cpu;
    long tick = sysconf(_SC_CLK_TCK);

    sleep(5);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &a) == 0 && a.tv_sec >= 5 && a.tv_sec < 100);
    CHECK(__clock_gettime(CLOCK_BOOTTIME, &b) == 0 && b.tv_sec == a.tv_sec);
    CHECK(clock_gettime(CLOCK_REALTIME, &a) == 0 && a.tv_sec < 1700000100 && a.tv_sec > 1700000000);
    CHECK(timespec_get(&b, TIME_UTC) == TIME_UTC && b.tv_sec == a.tv_sec && b.tv_nsec == a.tv_nsec);
    CHECK(gettimeofday(&v, NULL) == 0 && v.tv_sec == a.tv_sec);
    CHECK(__gettimeofday(&w, NULL) == 0 && w.tv_sec == a.tv_sec && w.tv_usec == v.tv_usec);
    CHECK(ftime(&f) == 0 && f.time == a.tv_sec);
    CHECK(time(NULL) == a.tv_sec);
    CHECK(clock_getres(CLOCK_MONOTONIC_COARSE, &b) == 0 && b.tv_nsec == 1);
    CHECK(sysinfo(&info) == 0 && info.uptime == now() / 1000000000);
    CHECK(times(&cpu) == (clock_t)(now() / (1000000000 / tick)));
    TAKES(0, sysinfo(&info));
}

/* Only the coordinator moves time. */
static void set_case(void)
{
    struct timespec t = spec(0);
    struct timeval v = {0};

    CHECK(clock_settime(CLOCK_REALTIME, &t) == -1 && errno == EPERM);
    CHECK(settimeofday(&v, NULL) == -1 && errno == EPERM);
    CHECK(adjtime(&v, NULL) == -1 && errno == EPERM);
}

/* Clocks that do not exist: the wrappers must not call themselves through the filter. */
static void unknown_case(void)
{
    static const clockid_t clocks[] = {10, 12, 23, 99, 0x7fffffff};
    struct timespec t = spec(1 * MS);
    size_t i;

    for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        clockid_t c = clocks[i];

        CHECK(clock_gettime(c, &t) == -1 && errno == EINVAL);
        CHECK(clock_getres(c, &t) == -1 && errno == EINVAL);
        CHECK(clock_settime(c, &t) == -1 && errno == EINVAL);
        CHECK(clock_nanosleep(c, 0, &t, NULL) == EINVAL);
        CHECK(syscall(SYS_clock_gettime, (long)c, &t) == -1 && errno == EINVAL);
        CHECK(timerfd_create(c, 0) == -1 && errno == EINVAL);
    }
    CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0);
    CHECK(clock_getcpuclockid(getpid(), &(clockid_t){0}) == 0);
}

static void sleep_case(void)
{
    struct timespec t = spec(1500 * MS);

    TAKES(1500, CHECK(nanosleep(&t, NULL) == 0));
    TAKES(1500, CHECK(__nanosleep(&t, NULL) == 0));
    TAKES(1500, CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == 0));
    TAKES(1500, CHECK(__clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == 0));
    TAKES(1500, CHECK(thrd_sleep(&t, NULL) == 0));
    t = from(CLOCK_REALTIME, 20 * MS);
    TAKES(20, CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == 0));
    TAKES(3, CHECK(usleep(3000) == 0));
    TAKES(100000, CHECK(sleep(100) == 0));
}

static void poll_case(void)
{
    int pipes[2], ep = epoll_create1(0), old = epoll_create(1);
    struct pollfd p = {.events = POLLIN};
    struct epoll_event e = {.events = EPOLLIN};
    struct timespec t = spec(7 * MS);
    struct timeval v = {.tv_usec = 9000}, w = {.tv_usec = 9000};
    fd_set set;

    REQUIRE(pipe(pipes) == 0 && ep >= 0 && old >= 0);
    p.fd = pipes[0];
    FD_ZERO(&set);
    FD_SET(pipes[0], &set);
    CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, pipes[0], &e) == 0);
    TAKES(2500, CHECK(poll(&p, 1, 2500) == 0));
    TAKES(250, CHECK(__poll(&p, 1, 250) == 0));
    TAKES(250, CHECK(__poll_chk(&p, 1, 250, sizeof(p)) == 0));
    TAKES(7, CHECK(ppoll(&p, 1, &t, NULL) == 0));
    TAKES(7, CHECK(__ppoll_chk(&p, 1, &t, NULL, sizeof(p)) == 0));
    TAKES(9, CHECK(select(pipes[0] + 1, &set, NULL, NULL, &v) == 0));
    TAKES(9, CHECK(__select(0, NULL, NULL, NULL, &w) == 0));
    TAKES(7, CHECK(pselect(0, NULL, NULL, NULL, &t, NULL) == 0));
    TAKES(11, CHECK(epoll_wait(ep, &e, 1, 11) == 0));
    TAKES(11, CHECK(epoll_pwait(ep, &e, 1, 11, NULL) == 0));
    TAKES(7, CHECK(epoll_pwait2(ep, &e, 1, &t, NULL) == 0));
}

static void timerfd_case(void)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec t = {.it_value = spec(5 * MS), .it_interval = spec(30 * MS)}, left;
    uint64_t n;

    REQUIRE(fd >= 0 && timerfd_settime(fd, 0, &t, NULL) == 0);
    TAKES(5, CHECK(read(fd, &n, sizeof(n)) == sizeof(n) && n == 1));
    TAKES(30, CHECK(read(fd, &n, sizeof(n)) == sizeof(n) && n == 1));
    CHECK(timerfd_gettime(fd, &left) == 0 && left.it_value.tv_nsec == 30 * MS);
    CHECK(close(fd) == 0);
}

const struct vtime_case vtime_clocks[] = {
    {"clock", clock_case}, {"set", set_case},   {"unknown", unknown_case},
    {"sleep", sleep_case}, {"poll", poll_case}, {"timerfd", timerfd_case},
    {NULL, NULL}};
