/* SPDX-License-Identifier: BSD-3-Clause */
/* support.c - channels, messages, times, children and threads for the tests */
#include "conformance.h"

#include <ach/kernel.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define NOBODY 65534

void skip(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    fflush(stdout);
    exit(CHECK_SKIPPED);
}

enum ach_status create(const char *name, size_t frame_cnt, size_t frame_size)
{
    return backend->create(name, frame_cnt, frame_size, NULL);
}

void make(size_t frame_cnt, size_t frame_size)
{
    REQUIRE_OK(create(CHAN, frame_cnt, frame_size));
}

void open_named(ach_channel_t *chan, const char *name)
{
    REQUIRE_OK(backend->open(chan, name, NULL));
}

void open_it(ach_channel_t *chan)
{
    open_named(chan, CHAN);
}

void remove_it(void)
{
    REQUIRE_OK(backend->unlink(CHAN));
}

ach_create_attr_t create_attr(void)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    return attr;
}

void make_single(size_t frame_cnt, size_t frame_size)
{
    ach_create_attr_t attr = create_attr();

    REQUIRE_OK(ach_create_attr_set_single_writer(&attr, 1));
    REQUIRE_OK(backend->create(CHAN, frame_cnt, frame_size, &attr));
}

enum ach_status try_source(ach_channel_t *chan)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    REQUIRE_OK(ach_attr_set_lock_source(&attr, 1));
    return backend->open(chan, CHAN, &attr);
}

void open_source(ach_channel_t *chan)
{
    REQUIRE_OK(try_source(chan));
}

void open_readonly(ach_channel_t *chan, const char *name)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    REQUIRE_OK(ach_attr_set_readonly(&attr, 1));
    REQUIRE_OK(backend->open(chan, name, &attr));
}

/* Byte i of a message is a hash of its number, its length and i. */
static unsigned char pattern(uint64_t number, size_t len, size_t i)
{
    uint64_t x = (number + 1) * 0x9e3779b97f4a7c15ull ^ (len * 0xff51afd7ed558ccdull) ^ (i >> 3);

    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return (unsigned char)(x >> (8 * (i & 7)));
}

void message_fill(void *buf, size_t len, uint64_t number)
{
    unsigned char *b = buf;
    size_t i, start = len >= 16 ? 16 : 0;
    uint64_t head[2] = {number, len};

    memcpy(b, head, start);
    for (i = start; i < len; i++)
        b[i] = pattern(number, len, i);
}

bool message_whole(const void *buf, size_t len, uint64_t *number)
{
    const unsigned char *b = buf;
    uint64_t head[2];
    size_t i;

    if (len < 16)
        return false;
    memcpy(head, b, 16);
    *number = head[0];
    if (head[1] != len)
        return false;
    for (i = 16; i < len; i++)
        if (b[i] != pattern(head[0], len, i))
            return false;
    return true;
}

enum ach_status put_number(ach_channel_t *chan, uint64_t number, size_t len)
{
    unsigned char *buf = malloc(len);
    enum ach_status r;

    REQUIRE(buf != NULL);
    message_fill(buf, len, number);
    r = ach_put(chan, buf, len);
    free(buf);
    return r;
}

enum ach_status get_number(ach_channel_t *chan, uint64_t *number, int options)
{
    ach_info_t info = info_of(chan);
    unsigned char *buf = malloc((size_t)info.capacity);
    size_t size = 0;
    enum ach_status r;

    REQUIRE(buf != NULL);
    r = ach_get(chan, buf, (size_t)info.capacity, &size, NULL, options);
    if (r == ACH_OK || r == ACH_MISSED_FRAME)
        REQUIRE(message_whole(buf, size, number));
    free(buf);
    return r;
}

void put_range(ach_channel_t *chan, uint64_t from, uint64_t to)
{
    uint64_t i;

    for (i = from; i <= to; i++)
        REQUIRE_OK(put_number(chan, i, 16));
}

struct timespec ms(long milliseconds)
{
    struct timespec t = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};

    return t;
}

struct timespec clock_in(clockid_t clock, long milliseconds)
{
    struct timespec t;
    int64_t ns;

    REQUIRE(clock_gettime(clock, &t) == 0);
    ns = ns_of(&t) + milliseconds * INT64_C(1000000);
    if (ns < 0)
        ns = 0;
    t.tv_sec = (time_t)(ns / 1000000000);
    t.tv_nsec = (long)(ns % 1000000000);
    return t;
}

int64_t ns_of(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

ach_info_t info_of(const ach_channel_t *chan)
{
    enum ach_status r = ACH_EAGAIN;
    ach_info_t info;
    int tries;

    for (tries = 0; tries < 1000 && r == ACH_EAGAIN; tries++) /* writers may overtake a try */
        r = ach_channel_info(chan, &info);
    REQUIRE_OK(r);
    return info;
}

bool clock_fits(clockid_t clock)
{
    struct timespec now;

    return clock_gettime(clock, &now) == 0 &&
           (backend->bit != KERNEL || clock != CLOCK_MONOTONIC_RAW);
}

unsigned open_descriptors(void)
{
    return check_entries("/proc/self/fd") - 1; /* the directory itself */
}

pid_t start_child(int (*fun)(void *), void *cx)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0)
        exit(fun(cx));
    return pid;
}

bool run_child(int (*fun)(void *), void *cx)
{
    return check_child(start_child(fun, cx), 60000);
}

int64_t cpu_us(void)
{
    struct rusage u;

    REQUIRE(getrusage(RUSAGE_SELF, &u) == 0);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * INT64_C(1000000) + u.ru_utime.tv_usec +
           u.ru_stime.tv_usec;
}

void drop_power(void)
{
    if (getuid() != 0)
        return;
    REQUIRE(setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
            setresuid(NOBODY, NOBODY, NOBODY) == 0);
    /* Memory checkers inspect the process from outside, which the change of user forbids. */
    REQUIRE(prctl(PR_SET_DUMPABLE, 1) == 0);
}

void share_directory(mode_t mode)
{
    const char *dir = getenv("ACH_DIR");

    if (!dir)
        skip("needs a channel directory of its own in ACH_DIR");
    REQUIRE(chmod(dir, mode) == 0);
}

const char *path_of(const char *name)
{
    static char path[PATH_SIZE];

    if (backend->bit == KERNEL)
        snprintf(path, sizeof(path), "%s%s", ACH_KERNEL_PREFIX, name);
    else
        REQUIRE_OK(ach_channel_path(name, path, sizeof(path)));
    return path;
}

void write_file(const char *name, size_t size, int byte)
{
    int fd = open(path_of(name), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    unsigned char *buf = malloc(size + 1);

    REQUIRE(fd >= 0 && buf);
    memset(buf, byte, size + 1);
    REQUIRE(write(fd, buf, size) == (ssize_t)size);
    free(buf);
    close(fd);
}
