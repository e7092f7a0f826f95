/* SPDX-License-Identifier: BSD-3-Clause */
/* device.c - a kernel channel by the calls of its device alone: write, poll, read */
#include <ach/kernel.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "channels.h"
#include "setup.h"

#define HISTORY 64u
#define HISTORY_LARGE 1u
#define LARGE 65536u
#define NS_PER_MS 1000000ull

struct device {
    char name[ACH_KERNEL_NAME_MAX];
    enum mode mode;
    int in, out;    /* the calling end's */
    int time_limit; /* in milliseconds, that read has */
};

const char *kernel_channels_missing(const char *dir)
{
    (void)dir;
    return access(ACH_KERNEL_CONTROL, R_OK | W_OK) == 0
               ? NULL
               : "left out: the kernel module is not loaded, or not for us";
}

static bool control(unsigned long request, void *arg)
{
    int fd = open(ACH_KERNEL_CONTROL, O_RDWR | O_CLOEXEC);
    bool ok = fd >= 0 && ioctl(fd, request, arg) == 0;
    int error = errno;

    if (fd >= 0)
        close(fd);
    errno = error;
    return ok;
}

static void *setup(const struct job *job)
{
    struct device *d = calloc(1, sizeof(*d));
    struct ach_kernel_create wish = {.frame_cnt = job->size > LARGE ? HISTORY_LARGE : HISTORY,
                                     .frame_size = job->size,
                                     .clock = CLOCK_MONOTONIC,
                                     .mode = 0600};

    if (!d)
        return refuse(job, "no memory");
    d->mode = job->mode;
    snprintf(d->name, sizeof(d->name), "peers-%u", job->id);
    memcpy(wish.name, d->name, sizeof(wish.name));
    if (control(ACH_KERNEL_CREATE, &wish))
        return d;
    free(d);
    return refuse(job, "no channel: %s", strerror(errno));
}

static void finish(void *link)
{
    struct device *d = link;
    struct ach_kernel_name name = {0};

    memcpy(name.name, d->name, sizeof(name.name));
    control(ACH_KERNEL_UNLINK, &name);
    free(d);
}

static bool open_end(void *link, enum side side, unsigned index)
{
    struct device *d = link;
    char path[sizeof(ACH_KERNEL_PREFIX) + ACH_KERNEL_NAME_MAX];
    int fd;

    (void)index;
    snprintf(path, sizeof(path), ACH_KERNEL_PREFIX "%s", d->name);
    fd = open(path, (side == SENDER ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    *(side == SENDER ? &d->out : &d->in) = fd;
    return fd >= 0 && (side == SENDER || ioctl(fd, ACH_KERNEL_FLUSH) == 0);
}

static void close_end(void *link, enum side side, unsigned index)
{
    const struct device *d = link;

    (void)index;
    close(side == SENDER ? d->out : d->in);
}

static int send_message(void *link, const void *message, size_t size)
{
    const struct device *d = link;
    ssize_t n;

    do
        n = write(d->out, message, size);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -1 : 1;
}

static bool limit_time(struct device *d, int timeout_ms)
{
    struct ach_kernel_options o = {.timeout = (__u64)timeout_ms * NS_PER_MS};

    if (timeout_ms == d->time_limit)
        return true;
    d->time_limit = timeout_ms;
    return ioctl(d->in, ACH_KERNEL_OPTIONS, &o) == 0;
}

static ssize_t receive(void *link, void *buffer, size_t room, int timeout_ms)
{
    struct device *d = link;
    struct pollfd p = {.fd = d->in, .events = POLLIN};
    ssize_t n;

    if (d->mode == MODE_POLL) {
        if (poll(&p, 1, timeout_ms) <= 0)
            return 0;
    } else if (!limit_time(d, timeout_ms)) {
        return -1;
    }
    n = read(d->in, buffer, room);
    return n < 0 && (errno == ETIMEDOUT || errno == EINTR) ? 0 : n;
}

const struct contender contender_ach_device = {
    .name = "ach device",
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
    .receive = receive,
};
