/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another open file of the same channel, by ACH_KERNEL_AGAIN; and a child of fork that polls a
 * handle it inherited, whatever became of the channel's name.
 */
#include "device.h"

#define NAME "test-again"

static int control;

static int again(int fd)
{
    return ioctl(fd, ACH_KERNEL_AGAIN);
}

/* The new file has the access mode of the first one, and its own position. */
static void twins(void)
{
    int rw = device_must_open(NAME, O_RDWR | O_NONBLOCK), twin;
    int w = device_must_open(NAME, O_WRONLY), r = device_must_open(NAME, O_RDONLY);
    char buf[8];

    device_put(rw, "1");
    CHECK_GOT(rw, "1");
    CHECK((twin = again(rw)) >= 0);
    CHECK(fcntl(twin, F_GETFD) == FD_CLOEXEC);
    CHECK_GOT(twin, "1");
    CHECK_ERRNO(read(twin, buf, sizeof(buf)), EAGAIN);
    CHECK(!device_readable(twin));
    device_put(twin, "2");
    CHECK(device_readable(twin) && device_readable(rw));
    CHECK_GOT(rw, "2");
    CHECK(device_readable(twin) && !device_readable(rw));
    CHECK_ERRNO(lseek(twin, 0, SEEK_SET), ESPIPE);
    CHECK(ioctl(rw, ACH_KERNEL_CANCEL) == 0);
    CHECK(device_wait(twin, 1, 0, CLOCK_MONOTONIC, 0) == 0);
    close(rw);
    CHECK_GOT(twin, "2");
    close(twin);
    CHECK((twin = again(w)) >= 0);
    CHECK_ERRNO(read(twin, buf, sizeof(buf)), EBADF);
    close(twin);
    CHECK((twin = again(r)) >= 0);
    CHECK_ERRNO(write(twin, "x", 1), EBADF);
    close(twin);
    close(w);
    close(r);
}

/* The new file works, and can be mapped, after the unlink and the close of the first one. */
static void outlives(void)
{
    int fd = device_must_open(NAME, O_RDWR), twin;
    struct ach_kernel_info info;
    void *p;

    CHECK(device_unlink(control, NAME) == 0);
    CHECK((twin = again(fd)) >= 0);
    close(fd);
    CHECK(ioctl(twin, ACH_KERNEL_INFO, &info) == 0 && info.unlinked);
    p = mmap(NULL, info.memory, PROT_READ, MAP_SHARED, twin, 0);
    CHECK(p != MAP_FAILED && munmap(p, info.memory) == 0);
    CHECK(mmap(NULL, info.memory, PROT_READ | PROT_WRITE, MAP_SHARED, twin, 0) == MAP_FAILED);
    device_put(twin, "left");
    CHECK((fd = again(twin)) >= 0);
    close(twin);
    CHECK_GOT(fd, "1");
    close(fd);
    device_create(control, NAME, 4, 64);
}

/* The new file is of the first one's channel, not of the channel that has the name now. */
static void replaced(void)
{
    int fd = device_must_open(NAME, O_RDWR | O_NONBLOCK), twin;

    device_put(fd, "old");
    device_create(control, NAME, 4, 64);
    CHECK((twin = again(fd)) >= 0);
    CHECK_GOT(twin, "old");
    CHECK_ERRNO(read(twin, &(char){0}, 1), ESTALE);
    CHECK_ERRNO(write(twin, "x", 1), ESTALE);
    close(fd);
    close(twin);
}

static enum ach_status get(ach_channel_t *chan, char *buf, size_t *n)
{
    return ach_get(chan, buf, 8, n, NULL, 0);
}

/* A child's descriptor is of the handle's channel, which was unlinked or replaced. */
static void in_child(void *arg)
{
    ach_channel_t *chan = arg;
    struct pollfd p = {.events = POLLIN};
    char buf[8];
    size_t n;

    REQUIRE_OK(ach_channel_fd(chan, &p.fd));
    CHECK(poll(&p, 1, 0) == 1 && (p.revents & POLLIN));
    CHECK_STATUS(get(chan, buf, &n), ACH_OK);
    CHECK(n == 3 && memcmp(buf, "old", 3) == 0);
    n = (size_t)poll(&p, 1, 0);
    if (get(chan, buf, &(size_t){0}) == ACH_EAGAIN) {
        CHECK(n == 0);
        CHECK_OK(ach_put(chan, "more", 4));
        CHECK(poll(&p, 1, 10000) == 1);
        CHECK_STATUS(get(chan, buf, &n), ACH_OK);
    } else {
        CHECK(n == 1 && (p.revents & POLLHUP)); /* it was replaced */
    }
}

static void inherited(bool unlink)
{
    ach_channel_t chan;
    ach_attr_t attr;
    int w, fd;

    ach_attr_init(&attr);
    CHECK_OK(ach_attr_set_map(&attr, ACH_MAP_KERNEL));
    device_create(control, NAME, 4, 64);
    REQUIRE_OK(ach_open(&chan, NAME, &attr));
    CHECK_OK(ach_channel_fd(&chan, &fd));
    w = device_must_open(NAME, O_WRONLY);
    device_put(w, "old");
    if (unlink)
        CHECK(device_unlink(control, NAME) == 0);
    else
        device_create(control, NAME, 4, 64);
    CHECK(check_child(device_fork(in_child, &chan), 20000));
    CHECK(device_readable(fd)); /* the parent's position has not changed */
    close(w);
    CHECK_OK(ach_close(&chan));
}

int main(void)
{
    control = device_control();
    device_create(control, NAME, 4, 64);
    twins();
    device_create(control, NAME, 4, 64);
    device_put(device_must_open(NAME, O_WRONLY), "1");
    outlives();
    replaced();
    inherited(true);
    inherited(false);
    CHECK(device_unlink(control, NAME) == 0);
    return check_result();
}
