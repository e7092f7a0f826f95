/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel.c - the calls of a kernel channel, against those of a pipe
 *
 * One process does all, so nobody sleeps: what is left is what the calls
 * themselves cost. A get from the mapped channel is compared with a read of
 * the same message from the device.
 */
#include <ach/kernel.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "channels.h"

#define NAME "bench-kernel"
#define HISTORY 64u
#define BATCH 200u

enum variant { PIPE, QUEUE, NEWEST }; /* NEWEST: read gets the newest message, again and again */

/* What is written to out can be read from in. */
struct ends {
    enum variant variant;
    ach_channel_t chan; /* not of a pipe */
    int in, out;
    unsigned char message[MESSAGE_SIZE] APART;
};

const char *kernel_missing(void)
{
    return access(ACH_KERNEL_CONTROL, R_OK | W_OK) == 0
               ? NULL
               : "the kernel module is not loaded, or not for us";
}

static inline void do_write(const struct ends *e)
{
    if (write(e->out, e->message, sizeof(e->message)) != (ssize_t)sizeof(e->message))
        abort();
}

static inline int do_poll(const struct ends *e)
{
    struct pollfd p = {.fd = e->in, .events = POLLIN};

    return poll(&p, 1, 0);
}

static inline void do_read(struct ends *e)
{
    if (read(e->in, e->message, sizeof(e->message)) != (ssize_t)sizeof(e->message))
        abort();
}

static void device_open(struct ends *e)
{
    const struct ach_kernel_options newest = {.options = ACH_O_LAST | ACH_O_COPY,
                                              .timeout = ACH_KERNEL_FOREVER};
    bool waits = e->variant == QUEUE;
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    MUST_ACH(ach_create_attr_set_map(&attr, ACH_MAP_KERNEL));
    MUST_ACH(ach_create(NAME, HISTORY, MESSAGE_SIZE, &attr));
    MUST_ACH(ach_open(&e->chan, NAME, NULL));
    e->out = open(ACH_KERNEL_PREFIX NAME, O_WRONLY | O_CLOEXEC);
    e->in = open(ACH_KERNEL_PREFIX NAME, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
    MUST_SYS(e->in >= 0 && e->out >= 0);
    do_write(e);
    MUST_SYS((waits ? ioctl(e->in, ACH_KERNEL_FLUSH) : ioctl(e->in, ACH_KERNEL_OPTIONS, &newest)) ==
             0);
}

static void finish(void *state, size_t size)
{
    struct ends *e = state;

    (void)size;
    close(e->in);
    close(e->out);
    if (e->variant == PIPE)
        return;
    MUST_ACH(ach_close(&e->chan));
    MUST_ACH(ach_unlink(NAME));
}

static void *setup(const struct op *op)
{
    struct ends *e = private_alloc(sizeof(*e));
    int fd[2];

    e->variant = (enum variant)op->variant;
    if (e->variant == PIPE) {
        MUST_SYS(pipe2(fd, O_CLOEXEC) == 0);
        e->in = fd[0];
        e->out = fd[1];
    } else {
        device_open(e);
    }
    hold(finish, e, 0);
    return e;
}

static void all_batch(void *state, unsigned n)
{
    while (n--) {
        do_write(state);
        if (do_poll(state) != 1)
            abort();
        do_read(state);
    }
}

static void write_batch(void *state, unsigned n)
{
    while (n--)
        do_write(state);
}

static void poll_batch(void *state, unsigned n)
{
    while (n--)
        if (do_poll(state) != 1)
            abort();
}

static void read_batch(void *state, unsigned n)
{
    while (n--)
        do_read(state);
}

/* Nothing is there before a batch of writes, and as much as it takes before one of reads. */
static void drain(void *state, unsigned n)
{
    (void)n;
    while (do_poll(state) == 1)
        do_read(state);
}

static void fill(void *state, unsigned n)
{
    drain(state, n);
    write_batch(state, n);
}

static void mapped_batch(void *state, unsigned n)
{
    struct ends *e = state;
    size_t size;

    while (n--)
        if (ach_get(&e->chan, e->message, sizeof(e->message), &size, NULL,
                    ACH_O_LAST | ACH_O_COPY) != ACH_OK)
            abort();
}

#define OF(variant_) .setup = setup, .variant = (variant_)
#define ALL .batch = all_batch, .batch_max = BATCH
#define WRITE .prepare = drain, .batch = write_batch, .batch_max = HISTORY
#define POLL .prepare = fill, .batch = poll_batch, .batch_max = BATCH
#define READ .prepare = fill, .batch = read_batch, .batch_max = HISTORY

const struct op kernel_ops[] = {
    {OF(QUEUE), ALL, .name = "kernel write, poll, read"},
    {OF(PIPE), ALL, .name = "pipe write, poll, read"},
    {OF(QUEUE), WRITE, .name = "kernel write 64 B"},
    {OF(PIPE), WRITE, .name = "pipe write 64 B"},
    {OF(QUEUE), POLL, .name = "kernel poll"},
    {OF(PIPE), POLL, .name = "pipe poll"},
    {OF(QUEUE), READ, .name = "kernel read 64 B"},
    {OF(PIPE), READ, .name = "pipe read 64 B"},
    {OF(NEWEST), .name = "kernel read of the newest", .batch = read_batch, .batch_max = BATCH},
    {OF(NEWEST), .name = "mapped get of the newest", .batch = mapped_batch, .batch_max = BATCH},
    {0},
};
