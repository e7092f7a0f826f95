/* SPDX-License-Identifier: BSD-3-Clause */
/* What one user may take of the machine, and that all of it comes back. */
#include "device.h"

#define NAME "test-limits"
#define SOMEBODY 12346

static int control;

static long parameter(const char *name, long set)
{
    char path[128];
    long old = -1;
    FILE *f;

    snprintf(path, sizeof(path), "/sys/module/ach/parameters/%s", name);
    f = fopen(path, "r+");
    REQUIRE(f && fscanf(f, "%ld", &old) == 1);
    if (set >= 0) {
        rewind(f);
        fprintf(f, "%ld\n", set);
    }
    REQUIRE(fclose(f) == 0);
    return old;
}

static int create(int i, uint64_t cnt, uint64_t size)
{
    char name[64];
    struct ach_kernel_create wish;

    snprintf(name, sizeof(name), NAME "-%d", i);
    wish = device_wish(name, cnt, size);
    return ioctl(control, ACH_KERNEL_CREATE, &wish);
}

static int unlink_number(int i)
{
    char name[64];

    snprintf(name, sizeof(name), NAME "-%d", i);
    return device_unlink(control, name);
}

static int open_number(int i, int flags)
{
    char name[64];

    snprintf(name, sizeof(name), NAME "-%d", i);
    return device_must_open(name, flags);
}

/* Five channels at most. */
static void by_number(void)
{
    int i, fd;

    for (i = 0; i < 5; i++)
        CHECK(create(i, 1, 64) == 0);
    CHECK_ERRNO(create(5, 1, 64), EDQUOT);
    fd = open_number(0, O_RDONLY);
    CHECK(unlink_number(0) == 0);
    CHECK_ERRNO(create(5, 1, 64), EDQUOT); /* its memory is still there */
    close(fd);
    CHECK(create(5, 1, 64) == 0);
    for (i = 1; i <= 5; i++)
        CHECK(unlink_number(i) == 0);
}

/* A megabyte at most. */
static void by_bytes(void)
{
    static char big[200000];
    int fds[8], i, r = 0;

    CHECK_ERRNO(create(0, 1, 600000), EDQUOT);
    CHECK(create(0, 1, 200000) == 0);
    CHECK_ERRNO(create(1, 1, 200000), EDQUOT);
    /* Large messages on their way count, too. */
    for (i = 0; i < 8; i++) {
        fds[i] = open_number(0, O_WRONLY);
        CHECK(write(fds[i], "small", 5) == 5);
        r += write(fds[i], big, sizeof(big)) < 0 && errno == EDQUOT;
    }
    CHECK(r >= 5 && r < 8);
    for (i = 0; i < 8; i++)
        close(fds[i]);
    fds[0] = open_number(0, O_WRONLY);
    CHECK(write(fds[0], big, sizeof(big)) == sizeof(big));
    close(fds[0]);
    CHECK(unlink_number(0) == 0);
    CHECK(create(0, 1, 200000) == 0);
    CHECK(unlink_number(0) == 0);
}

static void as_somebody(void *arg)
{
    int round;

    (void)arg;
    REQUIRE(setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0);
    control = device_control();
    for (round = 0; round < 3; round++) {
        by_number();
        by_bytes();
    }
}

/* Others have used it up. */
static void with_none_left(void *arg)
{
    (void)arg;
    REQUIRE(setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0);
    control = device_control();
    CHECK_ERRNO(create(1, 1, 64), ENOSPC);
}

int main(void)
{
    long channels, bytes, largest, all;

    control = device_control();
    if (geteuid() != 0)
        check_skip("setting limits needs root");
    channels = parameter("max_user_channels", 5);
    bytes = parameter("max_user_bytes", 1 << 20);
    CHECK(check_child(device_fork(as_somebody, NULL), 60000));
    /* Who may exceed them. */
    CHECK(create(0, 1, 600000) == 0);
    largest = parameter("max_channel_bytes", 100000);
    CHECK_ERRNO(create(1, 1, 600000), EFBIG);
    parameter("max_channel_bytes", largest);
    all = parameter("max_channels", 1);
    CHECK(check_child(device_fork(with_none_left, NULL), 60000));
    CHECK(create(1, 1, 64) == 0); /* root still can */
    CHECK(unlink_number(1) == 0);
    parameter("max_channels", all);
    parameter("max_user_channels", channels);
    parameter("max_user_bytes", bytes);
    CHECK(unlink_number(0) == 0);
    return check_result();
}
