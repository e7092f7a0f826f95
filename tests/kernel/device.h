/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.h - kernel channels without libach, for the tests of the module
 *
 * Every program creates its own channels and removes them. Without the module
 * the programs of this folder are skipped.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <ach/kernel.h>
#include <ach/status.h>
#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>

/* A system call fails with this error. */
#define CHECK_ERRNO(expr, want) check_errno((long)(expr), (want), __FILE__, __LINE__, #expr)

static inline bool check_errno(long r, int want, const char *file, int line, const char *what)
{
    if (r != -1 || errno != want) {
        fprintf(stderr, "%s:%d: %s gave %ld (%s), not %s\n", file, line, what, r,
                r == -1 ? strerror(errno) : "no error", strerror(want));
        check_failures++;
        return false;
    }
    return true;
}

/* Open the control device; -1: it cannot be opened. */
static inline int device_try_control(void)
{
    return open(ACH_KERNEL_CONTROL, O_RDWR | O_CLOEXEC);
}

static inline int device_control(void)
{
    int fd = device_try_control();

    if (fd < 0)
        check_skip("there is no " ACH_KERNEL_CONTROL ": the module is not loaded");
    return fd;
}

static inline struct ach_kernel_create device_wish(const char *name, uint64_t cnt, uint64_t size)
{
    struct ach_kernel_create wish = {
        .frame_cnt = cnt, .frame_size = size, .clock = CLOCK_MONOTONIC, .mode = 0600};

    snprintf(wish.name, sizeof(wish.name), "%s", name);
    return wish;
}

static inline int device_unlink(int control, const char *name)
{
    struct ach_kernel_name n = {""};

    snprintf(n.name, sizeof(n.name), "%s", name);
    return ioctl(control, ACH_KERNEL_UNLINK, &n);
}

/* Create a channel, replacing one that an earlier run left. */
static inline void device_create(int control, const char *name, uint64_t cnt, uint64_t size)
{
    struct ach_kernel_create wish = device_wish(name, cnt, size);

    wish.flags = ACH_KERNEL_REPLACE;
    REQUIRE(ioctl(control, ACH_KERNEL_CREATE, &wish) == 0);
}

static inline int device_open(const char *name, int flags)
{
    char path[128];

    snprintf(path, sizeof(path), ACH_KERNEL_PREFIX "%s", name);
    return open(path, flags | O_CLOEXEC);
}

static inline int device_must_open(const char *name, int flags)
{
    int fd = device_open(name, flags);

    REQUIRE(fd >= 0);
    return fd;
}

static inline void device_put(int fd, const char *text)
{
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

/* The next message is this one. */
#define CHECK_GOT(fd, text) CHECK(device_got((fd), (text)))
static inline bool device_got(int fd, const char *text)
{
    char buf[256];
    ssize_t n = read(fd, buf, sizeof(buf));

    return n == (ssize_t)strlen(text) && memcmp(buf, text, (size_t)n) == 0;
}

static inline bool device_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
}

static inline int device_wait(int fd, uint64_t seen, uint64_t deadline, int clock, uint32_t flags)
{
    struct ach_kernel_wait w = {.seen = seen, .deadline = deadline, .clock = clock, .flags = flags};

    return ioctl(fd, ACH_KERNEL_WAIT, &w);
}

static inline uint64_t device_clock(int clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Wait until a thread sleeps in the kernel. */
static inline bool device_asleep(pid_t tid)
{
    int i;

    for (i = 0; i < 5000; i++) {
        if (check_state(tid) == 'S')
            return true;
        check_sleep_ms(1);
    }
    return false;
}

/* Fork a child that runs a function, and exits with 0 if no check failed there. */
static inline pid_t device_fork(void (*run)(void *), void *arg)
{
    pid_t pid = fork();

    REQUIRE(pid >= 0);
    if (pid == 0) {
        check_failures = 0;
        run(arg);
        _exit(check_result());
    }
    return pid;
}

#endif
