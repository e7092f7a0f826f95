/* SPDX-License-Identifier: BSD-3-Clause */
/* device.c - a kernel channel by the calls of its device alone: write, poll, read */
#include <ach/kernel.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "peers.h"

const char *kernel_channels_missing(void)
{
    bool there = access(ACH_KERNEL_CONTROL, R_OK | W_OK) == 0;

    return there ? NULL : "left out: the kernel module is not loaded, or not for us";
}

static bool control(unsigned long request, void *arg)
{
    int fd = open(ACH_KERNEL_CONTROL, O_RDWR | O_CLOEXEC);
    bool ok = fd >= 0 && ioctl(fd, request, arg) == 0;

    if (fd >= 0)
        close(fd);
    return ok;
}

static bool setup(struct link *l)
{
    struct ach_kernel_create wish = {.frame_cnt = channel_history(l->size),
                                     .frame_size = l->size,
                                     .clock = CLOCK_MONOTONIC,
                                     .mode = 0600};

    snprintf(wish.name, sizeof(wish.name), "peers-%u", l->id);
    return control(ACH_KERNEL_CREATE, &wish) || refuse(l, "no channel: %s", strerror(errno));
}

static void finish(struct link *l)
{
    struct ach_kernel_name name = {0};

    snprintf(name.name, sizeof(name.name), "peers-%u", l->id);
    control(ACH_KERNEL_UNLINK, &name);
}

static bool open_end(struct link *l)
{
    char path[sizeof(ACH_KERNEL_PREFIX) + ACH_KERNEL_NAME_MAX];

    snprintf(path, sizeof(path), ACH_KERNEL_PREFIX "peers-%u", l->id);
    l->fd = open(path, (l->side == SENDER ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    return l->fd >= 0 && (l->side == SENDER || ioctl(l->fd, ACH_KERNEL_FLUSH) == 0);
}

static void close_end(struct link *l)
{
    close(l->fd);
}

static int send_message(struct link *l)
{
    while (write(l->fd, l->message, l->size) < 0)
        if (errno != EINTR)
            return -1;
    return 1;
}

static bool limit(struct link *l, int timeout_ms)
{
    struct ach_kernel_options o = {.timeout = (__u64)timeout_ms * 1000000u};

    return ioctl(l->fd, ACH_KERNEL_OPTIONS, &o) == 0;
}

static ssize_t receive(struct link *l, int timeout_ms)
{
    ssize_t n = read(l->fd, l->message, l->size);

    (void)timeout_ms;
    return n < 0 && (errno == ETIMEDOUT || errno == EINTR) ? 0 : n;
}

const struct contender device_contenders[] = {
    {.name = "ach device",
     .source = __FILE__,
     .kind = KIND_ACH,
     .settings = "the kernel module without libach: write, poll, read",
     .modes = MODE_BLOCK | MODE_POLL,
     .start = kernel_channels_missing,
     .setup = setup,
     .finish = finish,
     .open = open_end,
     .close = close_end,
     .send = send_message,
     .limit = limit,
     .receive = receive},
    {0},
};
