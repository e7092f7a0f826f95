/* SPDX-License-Identifier: BSD-3-Clause */
/* roles.c - processes that put, get, wait, map, cancel, create and unload */
#include "world.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

/* How often a descriptor is used before another one is opened. */
#define TURNS 300

static void expect(const char *what, ssize_t r, const int *allowed)
{
    if (r >= 0)
        return;
    if (errno == ESTALE)
        count(STALES);
    if (errno == EINTR)
        count(INTERRUPTS);
    for (; *allowed; allowed++)
        if (errno == *allowed)
            return;
    wrong("%s: %s", what, strerror(errno));
}

static void writer(unsigned slot, uint64_t *random)
{
    static const int allowed[] = {ESTALE, EINTR, 0};
    static unsigned char buf[MESSAGE_MAX];
    const struct shape *shape;
    int fd = some_channel(random, O_WRONLY, &shape), i;

    for (i = 0; fd >= 0 && i < TURNS && !world->over; i++) {
        uint64_t number = atomic_fetch_add(&world->writers[slot % PATTERN_WRITERS], 1);
        size_t size = 8 + check_random(random) % (shape->frame_size - 7);
        ssize_t r;

        pattern_fill(buf, size, slot % PATTERN_WRITERS, number);
        r = write(fd, buf, size);
        expect("write", r, allowed);
        if (r >= 0 && (size_t)r != size)
            wrong("write of %zu wrote %zd", size, r);
        if (r < 0 && errno == ESTALE)
            break;
        count(PUTS);
    }
    if (fd >= 0)
        close(fd);
}

/* The last message number that a reader got from each writer. */
struct order {
    uint64_t last[PATTERN_WRITERS];
};

/* Read and check a message. False: the channel was unlinked or replaced. */
static bool get(int fd, struct order *order)
{
    static const int allowed[] = {EAGAIN, ETIMEDOUT, EINTR, ESTALE, 0};
    static unsigned char buf[MESSAGE_MAX];
    ssize_t r = read(fd, buf, sizeof(buf));
    uint64_t number;
    unsigned from;

    expect("read", r, allowed);
    if (r < 0)
        return errno != ESTALE;
    if (!pattern_check(buf, (size_t)r, &from, &number)) {
        wrong("a message of %zd bytes is not whole", r);
    } else if (order) {
        if (number < order->last[from])
            wrong("of writer %u, message %llu after %llu", from, (unsigned long long)number,
                  (unsigned long long)order->last[from]);
        order->last[from] = number;
    }
    count(GETS);
    return true;
}

/* Reads in order or the newest, with a timeout or without waiting. */
static void reader(unsigned slot, uint64_t *random)
{
    struct ach_kernel_options o = {.timeout = check_random(random) % 50000000};
    struct order order = {0};
    int fd =
        some_channel(random, check_random(random) % 3 ? O_RDONLY : O_RDONLY | O_NONBLOCK, NULL);
    int i;

    (void)slot;
    o.options = (uint32_t)(check_random(random) % 2 ? ACH_O_LAST : 0);
    if (check_random(random) % 4 == 0)
        o.options |= ACH_O_COPY;
    if (fd < 0)
        return;
    if (ioctl(fd, ACH_KERNEL_OPTIONS, &o) != 0)
        wrong("options: %s", strerror(errno));
    for (i = 0; i < TURNS && !world->over && get(fd, &order); i++)
        if (check_random(random) % 64 == 0)
            ioctl(fd, ACH_KERNEL_FLUSH);
    close(fd);
}

/* Waits for all channels at once. */
static void poller(unsigned slot, uint64_t *random)
{
    int ep = epoll_create1(EPOLL_CLOEXEC), fds[CHANNELS], i, j, n;
    uint32_t edge = check_random(random) % 2 ? EPOLLET : 0;

    (void)slot;
    for (i = 0; i < CHANNELS; i++) {
        struct epoll_event e = {.events = EPOLLIN | edge, .data.fd = i};

        fds[i] = device_open(shapes[i].name, O_RDONLY | O_NONBLOCK);
        if (fds[i] >= 0 && epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &e) != 0)
            wrong("epoll_ctl: %s", strerror(errno));
    }
    for (i = 0; i < TURNS && !world->over; i++) {
        struct epoll_event e[CHANNELS];

        n = epoll_wait(ep, e, CHANNELS, 20);
        count(POLLS);
        for (j = 0; j < n; j++)
            if (!get(fds[e[j].data.fd], NULL))
                epoll_ctl(ep, EPOLL_CTL_DEL, fds[e[j].data.fd], NULL);
    }
    for (i = 0; i < CHANNELS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    close(ep);
}

static void wait_some(int fd, struct ach_kernel_wait *w, uint64_t *random)
{
    static const int allowed[] = {ETIMEDOUT, ENOENT, ESTALE, EINTR, ECANCELED, 0};
    struct ach_kernel_info info;

    if (ioctl(fd, ACH_KERNEL_INFO, &info) != 0)
        wrong("info: %s", strerror(errno));
    if (info.oldest > info.newest + 1)
        wrong("oldest %llu, newest %llu", (unsigned long long)info.oldest,
              (unsigned long long)info.newest);
    w->seen = info.newest;
    w->deadline = check_now_ns() + check_random(random) % 30000000;
    expect("wait", ioctl(fd, ACH_KERNEL_WAIT, w), allowed);
    count(WAITS);
}

static void waiter(unsigned slot, uint64_t *random)
{
    struct ach_kernel_wait w = {.clock = CLOCK_MONOTONIC};
    int fd = some_channel(random, O_RDONLY, NULL), i;

    (void)slot;
    w.flags = check_random(random) % 2 ? ACH_KERNEL_LINKED : 0;
    for (i = 0; fd >= 0 && i < TURNS && !world->over; i++) {
        wait_some(fd, &w, random);
        if (!get(fd, NULL))
            break;
    }
    if (fd >= 0)
        close(fd);
}

/* Store the newest message number, or a random one, in the cursor, and poll. */
static void move(int fd, volatile struct ach_kernel_cursor *cursor, uint64_t *random)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct ach_kernel_info info;

    if (ioctl(fd, ACH_KERNEL_INFO, &info) == 0)
        cursor->seen = check_random(random) % 8 ? info.newest : check_random(random);
    poll(&p, 1, 10);
    count(MAPS);
}

/* Reads the channel's memory through a mapping, and moves the cursor, which poll uses. */
static void mapper(unsigned slot, uint64_t *random)
{
    int fd = some_channel(random, O_RDONLY, NULL),
        page = fd < 0 ? -1 : ioctl(fd, ACH_KERNEL_CURSOR);
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE), i, at;
    struct ach_kernel_info info = {0};
    volatile unsigned char *m;
    void *cursor;

    (void)slot;
    if (fd < 0)
        return;
    if (page < 0 || ioctl(fd, ACH_KERNEL_INFO, &info) != 0)
        wrong("cursor, info: %s", strerror(errno));
    m = mmap(NULL, info.memory, PROT_READ, MAP_SHARED, fd, 0);
    cursor = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    close(page);
    if (m == MAP_FAILED || cursor == MAP_FAILED)
        wrong("mmap: %s", strerror(errno));
    for (i = 0; m != MAP_FAILED && cursor != MAP_FAILED && i < TURNS / 10 && !world->over; i++) {
        for (at = 0; at < info.memory; at += 512)
            (void)m[at];
        move(fd, cursor, random);
    }
    if (m != MAP_FAILED)
        munmap((void *)m, info.memory);
    if (cursor != MAP_FAILED)
        munmap(cursor, page_size);
    close(fd);
}

static void *blocked(void *arg)
{
    uint64_t random = 1;
    int i;

    for (i = 0; i < TURNS / 10 && !world->over; i++) {
        struct ach_kernel_wait w = {.clock = CLOCK_MONOTONIC};

        wait_some(*(int *)arg, &w, &random);
    }
    return NULL;
}

/* Two threads share an open file: one waits, the other cancels and closes its descriptor. */
static void canceller(unsigned slot, uint64_t *random)
{
    int fd = some_channel(random, O_RDONLY, NULL), other = fd < 0 ? -1 : dup(fd), i;
    pthread_t t;

    (void)slot;
    if (fd < 0 || other < 0 || pthread_create(&t, NULL, blocked, &other) != 0)
        return;
    for (i = 0; i < TURNS / 10 && !world->over; i++) {
        if (ioctl(fd, ACH_KERNEL_CANCEL) != 0)
            wrong("cancel: %s", strerror(errno));
        count(CANCELS);
        check_sleep_ms(1);
    }
    close(fd);
    pthread_join(t, NULL);
    close(other);
}

/* Holds a channel's source for a while. */
static void source(unsigned slot, uint64_t *random)
{
    static const int allowed[] = {EBUSY, ESTALE, EINVAL, ENOTSUP, EINTR, 0};
    int fd = some_channel(random, O_RDWR, NULL);

    (void)slot;
    if (fd < 0)
        return;
    expect("source", ioctl(fd, ACH_KERNEL_SOURCE), allowed);
    check_sleep_ms((long)(check_random(random) % 5));
    close(fd);
}

/* Creates, unlinks and replaces channels. */
static void churner(unsigned slot, uint64_t *random)
{
    static const int made[] = {EEXIST, EINTR, 0};
    static const int gone[] = {ENOENT, EINTR, 0};
    const struct shape *s = &shapes[check_random(random) % CHANNELS];
    char name[32];
    int fd;

    snprintf(name, sizeof(name), "churn-%u", slot);
    expect("create",
           channel_create(name, 1 + check_random(random) % 100, 1 + check_random(random) % 5000, 0),
           made);
    count(CREATES);
    fd = device_open(name, O_RDWR | O_NONBLOCK);
    expect("unlink", channel_unlink(name), gone);
    count(UNLINKS);
    if (fd >= 0) {
        if (write(fd, name, 1) != 1)
            wrong("write to an unlinked channel: %s", strerror(errno));
        close(fd);
    }
    if (check_random(random) % 8 == 0) {
        expect("replace",
               channel_create(s->name, s->frame_cnt, s->frame_size, s->flags | ACH_KERNEL_REPLACE),
               made);
        count(CREATES);
    } else if (check_random(random) % 8 == 0) {
        expect("unlink", channel_unlink(s->name), gone);
        expect("create", channel_create(s->name, s->frame_cnt, s->frame_size, s->flags), made);
        count(UNLINKS);
    }
    check_sleep_ms((long)(check_random(random) % 20));
}

/* Tries to unload the module, which must fail while a channel is open. */
static void remover(unsigned slot, uint64_t *random)
{
    static const int allowed[] = {EAGAIN, EBUSY, ENOENT, 0};
    int fd = some_channel(random, O_RDONLY, NULL), r;

    (void)slot;
    if (fd < 0)
        return;
    r = module_unload();
    if (r == 0)
        wrong("the module went while a channel was open");
    expect("unload", r, allowed);
    count(REFUSED);
    close(fd);
    check_sleep_ms((long)(check_random(random) % 10));
}

const struct role roles[] = {
    {"writer", writer}, {"reader", reader},   {"poller", poller}, {"writer", writer},
    {"reader", reader}, {"waiter", waiter},   {"mapper", mapper}, {"canceller", canceller},
    {"source", source}, {"churner", churner}, {"writer", writer}, {"reader", reader},
    {"poller", poller}, {"remover", remover},
};
const unsigned role_count = sizeof(roles) / sizeof(roles[0]);
