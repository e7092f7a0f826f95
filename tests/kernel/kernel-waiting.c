/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting: blocking read, ACH_KERNEL_WAIT on every clock, poll, epoll, cancels, signals. */
#include "device.h"

#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#define NAME "test-waiting"
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif
#define LONG_NS check_time(20000000000ull)

static int control;

struct sleeper {
    pthread_t thread;
    int fd;
    uint32_t flags;
    uint64_t seen;
    pid_t tid;
    int result; /* errno, or 0 */
    uint32_t cancels;
};

static void *sleep_in_wait(void *arg)
{
    struct sleeper *s = arg;
    struct ach_kernel_wait w = {.seen = s->seen,
                                .deadline = device_clock(CLOCK_MONOTONIC) + LONG_NS,
                                .clock = CLOCK_MONOTONIC,
                                .flags = s->flags};

    __atomic_store_n(&s->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    s->result = ioctl(s->fd, ACH_KERNEL_WAIT, &w) ? errno : 0;
    s->cancels = w.cancels;
    return NULL;
}

static void *sleep_in_read(void *arg)
{
    struct sleeper *s = arg;
    char buf[64];

    __atomic_store_n(&s->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    s->result = read(s->fd, buf, sizeof(buf)) < 0 ? errno : 0;
    return NULL;
}

static void *sleep_in_poll(void *arg)
{
    struct sleeper *s = arg;
    struct pollfd p = {.fd = s->fd, .events = POLLIN};

    __atomic_store_n(&s->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    s->result = poll(&p, 1, (int)(LONG_NS / 1000000)) == 1 ? p.revents : -1;
    return NULL;
}

static void start(struct sleeper *s, void *(*how)(void *), int fd)
{
    s->fd = fd;
    REQUIRE(pthread_create(&s->thread, NULL, how, s) == 0);
    while (!__atomic_load_n(&s->tid, __ATOMIC_ACQUIRE))
        check_sleep_ms(1);
    CHECK(device_asleep(s->tid));
}

static int join(struct sleeper *s)
{
    pthread_join(s->thread, NULL);
    return s->result;
}

static void deadlines(void)
{
    static const int clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI};
    int fd = device_must_open(NAME, O_RDONLY);
    size_t i;

    for (i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
        uint64_t end = device_clock(clocks[i]) + 20000000;

        CHECK_ERRNO(device_wait(fd, 0, end, clocks[i], 0), ETIMEDOUT);
        CHECK(device_clock(clocks[i]) >= end);
        CHECK_ERRNO(device_wait(fd, 0, 0, clocks[i], 0), ETIMEDOUT);
    }
    CHECK_ERRNO(device_wait(fd, 0, 0, CLOCK_PROCESS_CPUTIME_ID, 0), EINVAL);
    CHECK_ERRNO(device_wait(fd, 0, 0, 12345, 0), EINVAL);
    CHECK_ERRNO(device_wait(fd, 0, 0, -1, 0), EINVAL);
    CHECK_ERRNO(device_wait(fd, 0, 0, CLOCK_MONOTONIC, 2), EINVAL);
    close(fd);
}

static void meet_deadlines(void *arg)
{
    (void)arg;
    deadlines();
}

/* In a time namespace in which CLOCK_MONOTONIC and CLOCK_BOOTTIME are a second behind. */
static void in_time_namespace(void *arg)
{
    static const char offsets[] = "1 -1 0\n7 -1 0\n";
    int fd;

    (void)arg;
    if (unshare(CLONE_NEWTIME) != 0) {
        printf("no time namespace: %s: its deadlines are left out\n", strerror(errno));
        return;
    }
    fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, offsets, sizeof(offsets) - 1) == sizeof(offsets) - 1);
    close(fd);
    CHECK(check_child(device_fork(meet_deadlines, NULL), 30000)); /* children are in it */
}

static void by_message(void)
{
    struct sleeper a = {.seen = 0}, b = {.seen = 0}, c = {.seen = 1};
    int w = device_must_open(NAME, O_WRONLY);
    int r = device_must_open(NAME, O_RDONLY), q = device_must_open(NAME, O_RDONLY);

    start(&a, sleep_in_wait, r);
    start(&b, sleep_in_read, r);
    start(&c, sleep_in_wait, q);
    device_put(w, "x");
    CHECK(join(&a) == 0);
    CHECK(join(&b) == 0);
    CHECK(device_wait(q, 0, ACH_KERNEL_FOREVER, CLOCK_MONOTONIC, 0) == 0);
    CHECK(device_asleep(c.tid));
    device_put(w, "y");
    CHECK(join(&c) == 0);
    CHECK_ERRNO(device_wait(r, UINT64_MAX, 0, CLOCK_MONOTONIC, 0), ETIMEDOUT);
    close(w);
    close(r);
    close(q);
}

static void by_cancel(void)
{
    struct sleeper a = {.seen = 1000}, b = {.seen = 1000}, c = {.seen = 0}, d = {.seen = 0};
    int w = device_must_open(NAME, O_WRONLY);
    int r = device_must_open(NAME, O_RDONLY), q = device_must_open(NAME, O_RDONLY);

    CHECK(ioctl(r, ACH_KERNEL_FLUSH) == 0 && ioctl(q, ACH_KERNEL_FLUSH) == 0);
    start(&a, sleep_in_wait, r);
    start(&b, sleep_in_wait, q);
    start(&c, sleep_in_read, r);
    start(&d, sleep_in_read, q);
    CHECK(ioctl(r, ACH_KERNEL_CANCEL) == 0);
    CHECK(join(&a) == ECANCELED && a.cancels == 1);
    CHECK(join(&c) == ECANCELED);
    CHECK(device_asleep(b.tid) && device_asleep(d.tid));
    device_put(w, "z");
    CHECK(join(&d) == 0);
    CHECK(ioctl(q, ACH_KERNEL_CANCEL) == 0);
    CHECK(join(&b) == ECANCELED);
    /* A read that begins afterwards is not canceled. */
    CHECK_GOT(r, "z");
    close(w);
    close(r);
    close(q);
}

static void nothing(int sig)
{
    (void)sig;
}

static void by_signal(void)
{
    struct sigaction act = {.sa_handler = nothing};
    struct sleeper a = {.seen = 1000}, b = {.seen = 1000};
    int r = device_must_open(NAME, O_RDONLY);
    int w = device_must_open(NAME, O_WRONLY);

    CHECK(ioctl(r, ACH_KERNEL_FLUSH) == 0);
    sigaction(SIGUSR1, &act, NULL);
    start(&a, sleep_in_wait, r);
    pthread_kill(a.thread, SIGUSR1);
    CHECK(join(&a) == EINTR);
    act.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &act, NULL);
    start(&b, sleep_in_read, r);
    pthread_kill(b.thread, SIGUSR1);
    check_sleep_ms(20);
    CHECK(device_asleep(b.tid));
    device_put(w, "x");
    CHECK(join(&b) == 0);
    close(r);
    close(w);
}

static void polling(void)
{
    struct sleeper a = {0}, b = {0};
    int w = device_must_open(NAME, O_RDWR | O_NONBLOCK);
    int r = device_must_open(NAME, O_RDONLY | O_NONBLOCK);
    int writer = device_must_open(NAME, O_WRONLY);
    struct pollfd p = {.fd = w, .events = POLLIN | POLLOUT};
    char buf[64];

    CHECK(ioctl(r, ACH_KERNEL_FLUSH) == 0 && ioctl(w, ACH_KERNEL_FLUSH) == 0);
    CHECK(poll(&p, 1, 0) == 1 && p.revents == POLLOUT);
    p.fd = writer;
    CHECK(poll(&p, 1, 0) == 1 && p.revents == POLLOUT);
    CHECK(!device_readable(r));
    start(&a, sleep_in_poll, r);
    start(&b, sleep_in_poll, r);
    device_put(w, "x");
    CHECK(join(&a) == POLLIN);
    CHECK(join(&b) == POLLIN);
    CHECK(device_readable(r));
    CHECK(read(r, buf, sizeof(buf)) == 1);
    CHECK(!device_readable(r));
    close(w);
    close(r);
    close(writer);
}

/* epoll, edge-triggered or level-triggered, many times. */
static void by_epoll(uint32_t flags)
{
    int w = device_must_open(NAME, O_WRONLY);
    int r = device_must_open(NAME, O_RDONLY | O_NONBLOCK);
    int e = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN | flags};
    int i;

    CHECK(ioctl(r, ACH_KERNEL_FLUSH) == 0);
    CHECK(epoll_ctl(e, EPOLL_CTL_ADD, r, &event) == 0);
    for (i = 0; i < 100; i++) {
        CHECK(epoll_wait(e, &event, 1, 0) == 0);
        device_put(w, "m");
        CHECK(epoll_wait(e, &event, 1, 10000) == 1);
        CHECK(epoll_wait(e, &event, 1, 0) == (flags & EPOLLET ? 0 : 1));
        /* An edge comes with each message, also when the last one is unread. */
        device_put(w, "n");
        CHECK(epoll_wait(e, &event, 1, 10000) == 1);
        CHECK_GOT(r, "m");
        CHECK_GOT(r, "n");
        CHECK_ERRNO(read(r, &i, 1), EAGAIN);
    }
    close(e);
    close(w);
    close(r);
}

#define CROWD 100

static bool all_woken(const int *ep)
{
    struct epoll_event event;
    int i;

    for (i = 0; i < CROWD; i++)
        if (epoll_wait(ep[i], &event, 1, 10000) != 1)
            return false;
    return true;
}

/* One open file has more pollers than a writer wakes itself, so that a worker wakes them. */
static void crowd(void)
{
    int fd = device_must_open(NAME, O_RDWR | O_NONBLOCK), ep[CROWD], i, round;
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    struct sleeper a = {0};

    CHECK(ioctl(fd, ACH_KERNEL_FLUSH) == 0);
    for (i = 0; i < CROWD; i++) {
        ep[i] = epoll_create1(EPOLL_CLOEXEC);
        CHECK(epoll_ctl(ep[i], EPOLL_CTL_ADD, fd, &event) == 0);
    }
    start(&a, sleep_in_poll, fd);
    for (round = 0; round < 10; round++) {
        device_put(fd, "x");
        REQUIRE(all_woken(ep));
        CHECK_GOT(fd, "x");
        CHECK(epoll_wait(ep[0], &event, 1, 0) == 0);
    }
    device_put(fd, "x");
    CHECK(join(&a) == POLLIN);
    /* The worker may still be running when all is closed. */
    device_put(fd, "x");
    for (i = 0; i < CROWD; i++)
        close(ep[i]);
    close(fd);
}

#define ROUNDS 3000

static void *echo(void *arg)
{
    const int *fds = arg;
    int i, n = (int)check_scale(ROUNDS);

    for (i = 0; i < n; i++) {
        struct pollfd p = {.fd = fds[0], .events = POLLIN};
        char c;

        if (i % 2)
            CHECK(poll(&p, 1, 20000) == 1);
        CHECK(read(fds[0], &c, 1) == 1);
        CHECK(write(fds[1], &c, 1) == 1);
    }
    return NULL;
}

/* A message goes to and fro: a single lost wake-up ends the exchange. */
static void ping_pong(void)
{
    struct ach_kernel_options limit = {.timeout = LONG_NS};
    int there[2], back[2], i, n = (int)check_scale(ROUNDS);
    pthread_t thread;
    char c;

    device_create(control, NAME "-back", 4, 8);
    there[0] = device_must_open(NAME, O_RDONLY);
    there[1] = device_must_open(NAME "-back", O_WRONLY);
    back[0] = device_must_open(NAME "-back", O_RDONLY);
    back[1] = device_must_open(NAME, O_WRONLY);
    CHECK(ioctl(there[0], ACH_KERNEL_FLUSH) == 0);
    CHECK(ioctl(there[0], ACH_KERNEL_OPTIONS, &limit) == 0);
    CHECK(ioctl(back[0], ACH_KERNEL_OPTIONS, &limit) == 0);
    REQUIRE(pthread_create(&thread, NULL, echo, there) == 0);
    for (i = 0; i < n; i++) {
        REQUIRE(write(back[1], "p", 1) == 1);
        if (i % 3 == 0)
            CHECK(device_wait(back[0], (uint64_t)i, device_clock(CLOCK_TAI) + LONG_NS, CLOCK_TAI,
                              0) == 0);
        REQUIRE(read(back[0], &c, 1) == 1);
    }
    pthread_join(thread, NULL);
    for (i = 0; i < 2; i++) {
        close(there[i]);
        close(back[i]);
    }
    CHECK(device_unlink(control, NAME "-back") == 0);
}

int main(void)
{
    control = device_control();
    device_create(control, NAME, 8, 64);
    deadlines();
    CHECK(check_child(device_fork(in_time_namespace, NULL), 60000));
    by_message();
    by_cancel();
    by_signal();
    polling();
    by_epoll(0);
    by_epoll(EPOLLET);
    crowd();
    ping_pong();
    CHECK(device_unlink(control, NAME) == 0);
    return check_result();
}
