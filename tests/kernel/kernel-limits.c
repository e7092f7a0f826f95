/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits on what one user and all users may use, and that everything is released. */
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
    CHECK_ERRNO(create(5, 1, 64), EDQUOT); /* the open file keeps its memory */
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
    /* Buffers of large messages count, too. */
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

static void become_somebody(void)
{
    REQUIRE(setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0);
    control = device_control();
}

#define FILES 7

/* At most FILES open files of each channel, however they are opened. */
static void by_files(void *arg)
{
    int fds[FILES], other, i;

    (void)arg;
    become_somebody();
    for (i = 0; i < FILES; i++)
        fds[i] = open_number(0, i % 2 ? O_RDONLY : O_RDWR);
    CHECK_ERRNO(device_open(NAME "-0", O_RDONLY), EDQUOT);
    CHECK_ERRNO(ioctl(fds[0], ACH_KERNEL_AGAIN), EDQUOT);
    CHECK(create(1, 1, 64) == 0);
    other = open_number(1, O_RDONLY);
    close(fds[0]);
    CHECK((fds[0] = ioctl(fds[1], ACH_KERNEL_AGAIN)) >= 0);
    CHECK_ERRNO(device_open(NAME "-0", O_RDONLY), EDQUOT);
    for (i = 0; i < FILES; i++)
        close(fds[i]);
    for (i = 0; i < FILES; i++)
        fds[i] = open_number(0, O_RDONLY);
    CHECK_ERRNO(device_open(NAME "-0", O_RDONLY), EDQUOT);
    CHECK(unlink_number(1) == 0);
    close(other);
    /* Files still open are released when this process ends, as its next run checks. */
    CHECK(dup(fds[0]) >= 0);
}

#define WAITERS (FILES + 3)

static void wait_on(void *arg)
{
    char buf[8];
    ssize_t n = read(*(int *)arg, buf, sizeof(buf));

    _exit(n > 0 ? 0 : errno == EDQUOT ? 2 : 1);
}

/* Wait for n waiters to end. Returns how many ended with this status. */
static int ended_with(int status, int n)
{
    int found = 0, s, looks;

    for (looks = 0; n > 0 && looks < 60000; looks++) {
        if (waitpid(-1, &s, WNOHANG) > 0) {
            n--;
            found += WIFEXITED(s) && WEXITSTATUS(s) == status;
        } else {
            check_sleep_ms(1);
        }
    }
    return found;
}

/* Tasks that wait on one open file count as if each had its own. */
static void by_waiters(void *arg)
{
    int fd, i;

    (void)arg;
    become_somebody();
    fd = open_number(0, O_RDWR);
    for (i = 0; i < WAITERS; i++)
        device_fork(wait_on, &fd);
    CHECK(ended_with(2, WAITERS - FILES) == WAITERS - FILES);
    for (i = 0; i < FILES; i++)
        CHECK(write(fd, "news", 4) == 4);
    CHECK(ended_with(0, FILES) == FILES);
    for (i = 0; i < FILES - 1; i++)
        open_number(0, O_RDONLY); /* what the waiters used was released */
    CHECK_ERRNO(device_open(NAME "-0", O_RDONLY), EDQUOT);
}

static void files(void)
{
    long limit = parameter("max_user_files", FILES);
    struct ach_kernel_create wish = device_wish(NAME "-0", 2 * FILES, 64);
    int fds[FILES + 2], i;

    wish.mode = 0666;
    CHECK(ioctl(control, ACH_KERNEL_CREATE, &wish) == 0);
    for (i = 0; i < FILES + 2; i++)
        fds[i] = open_number(0, O_RDWR); /* root may exceed it */
    CHECK(check_child(device_fork(by_files, NULL), 60000));
    CHECK(check_child(device_fork(by_files, NULL), 60000));
    CHECK(check_child(device_fork(by_waiters, NULL), 120000));
    for (i = 0; i < FILES + 2; i++)
        close(fds[i]);
    CHECK(unlink_number(0) == 0);
    parameter("max_user_files", limit);
}

static void as_somebody(void *arg)
{
    int round;

    (void)arg;
    become_somebody();
    for (round = 0; round < 3; round++) {
        by_number();
        by_bytes();
    }
}

/* Other users have used up the limit. */
static void with_none_left(void *arg)
{
    (void)arg;
    become_somebody();
    CHECK_ERRNO(create(2, 1, 64), ENOSPC);
}

static uint64_t memory_of(int i)
{
    struct ach_kernel_info info;
    int fd = open_number(i, O_RDONLY);

    REQUIRE(ioctl(fd, ACH_KERNEL_INFO, &info) == 0);
    close(fd);
    return info.memory;
}

#define LARGE 200000

/* Root's channel leaves room for one small channel, and for no buffer of a large message. */
static void with_little_left(void *arg)
{
    static char large[LARGE];
    int fd;

    (void)arg;
    become_somebody();
    CHECK_ERRNO(create(1, 1, LARGE), ENOSPC);
    CHECK(create(1, 1, 64) == 0);
    CHECK_ERRNO(create(2, 1, LARGE / 2), ENOSPC);
    CHECK(unlink_number(1) == 0);
    fd = open_number(0, O_WRONLY);
    CHECK_ERRNO(write(fd, large, sizeof(large)), ENOSPC);
    CHECK(write(fd, large, 64) == 64);
    close(fd);
}

static void with_room_again(void *arg)
{
    (void)arg;
    become_somebody();
    CHECK(create(1, 1, LARGE) == 0);
    CHECK(unlink_number(1) == 0);
}

static void machine(void)
{
    struct ach_kernel_create wish = device_wish(NAME "-0", 1, LARGE);
    long limit;

    wish.mode = 0666;
    CHECK(ioctl(control, ACH_KERNEL_CREATE, &wish) == 0);
    limit = parameter("max_bytes", (long)memory_of(0) + LARGE / 2);
    CHECK(check_child(device_fork(with_little_left, NULL), 60000));
    CHECK(create(1, 1, LARGE) == 0); /* root may exceed it */
    CHECK(check_child(device_fork(with_none_left, NULL), 60000));
    CHECK(unlink_number(0) == 0);
    CHECK(unlink_number(1) == 0);
    CHECK(check_child(device_fork(with_room_again, NULL), 60000));
    parameter("max_bytes", limit);
}

int main(void)
{
    long channels, bytes, largest, all;

    control = device_control();
    if (geteuid() != 0)
        check_skip("setting limits needs root");
    files();
    machine();
    channels = parameter("max_user_channels", 5);
    bytes = parameter("max_user_bytes", 1 << 20);
    CHECK(check_child(device_fork(as_somebody, NULL), 60000));
    /* Root may exceed the limits of users. */
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
