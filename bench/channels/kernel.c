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

/* The variant of an op: calls that it makes, on a pipe or on a kernel channel. */
enum { WRITE = 1, POLL = 2, READ = 4, QUEUE = 8, NEWEST = 16 }; /* NEWEST: read gets it again */

/* What is written to out can be read from in. */
struct ends {
    int variant;
    ach_channel_t chan; /* not of a pipe */
    int in, out;
    unsigned char message[MESSAGE_SIZE] APART;
};

static void calls(struct ends *e, unsigned n, int which)
{
    const ssize_t size = sizeof(e->message);
    struct pollfd p = {.fd = e->in, .events = POLLIN};

    while (n--)
        if ((which & WRITE && write(e->out, e->message, sizeof(e->message)) != size) ||
            (which & POLL && poll(&p, 1, 0) != 1) ||
            (which & READ && read(e->in, e->message, sizeof(e->message)) != size))
            abort();
}

static void device_open(struct ends *e)
{
    const struct ach_kernel_options newest = {.options = ACH_O_LAST | ACH_O_COPY,
                                              .timeout = ACH_KERNEL_FOREVER};
    bool waits = e->variant & QUEUE;
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    MUST_ACH(ach_create_attr_set_map(&attr, ACH_MAP_KERNEL));
    MUST_ACH(ach_create(NAME, HISTORY, MESSAGE_SIZE, &attr));
    MUST_ACH(ach_open(&e->chan, NAME, NULL));
    e->out = open(ACH_KERNEL_PREFIX NAME, O_WRONLY | O_CLOEXEC);
    e->in = open(ACH_KERNEL_PREFIX NAME, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
    MUST_SYS(e->in >= 0 && e->out >= 0);
    calls(e, 1, WRITE);
    MUST_SYS((waits ? ioctl(e->in, ACH_KERNEL_FLUSH) : ioctl(e->in, ACH_KERNEL_OPTIONS, &newest)) ==
             0);
}

static void finish(void *state, size_t size)
{
    struct ends *e = state;

    (void)size;
    close(e->in);
    close(e->out);
    if (!(e->variant & (QUEUE | NEWEST)))
        return;
    MUST_ACH(ach_close(&e->chan));
    MUST_ACH(ach_unlink(NAME));
}

static void *setup(const struct op *op)
{
    struct ends *e = private_alloc(sizeof(*e));
    int fd[2];

    e->variant = op->variant;
    if (!(e->variant & (QUEUE | NEWEST))) {
        MUST_SYS(pipe2(fd, O_CLOEXEC) == 0);
        e->in = fd[0];
        e->out = fd[1];
    } else {
        device_open(e);
    }
    hold(finish, e, 0);
    return e;
}

static void calls_batch(void *state, unsigned n)
{
    calls(state, n, ((struct ends *)state)->variant);
}

/* Nothing is there before a batch of writes, and as much as it takes before one of reads. */
static void prepare(void *state, unsigned n)
{
    struct ends *e = state;
    struct pollfd p = {.fd = e->in, .events = POLLIN};

    while (poll(&p, 1, 0) == 1)
        calls(e, 1, READ);
    if (!(e->variant & WRITE))
        calls(e, n, WRITE);
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

#define OF(calls, most)                                                                            \
    .setup = setup, .batch = calls_batch, .batch_max = (most), .variant = (calls)
#define FIFO(calls, most) OF(calls, most), .prepare = prepare

const struct op kernel_ops[] = {
    {FIFO(QUEUE | WRITE | POLL | READ, BATCH), .name = "kernel write, poll, read"},
    {FIFO(WRITE | POLL | READ, BATCH), .name = "pipe write, poll, read"},
    {FIFO(QUEUE | WRITE, HISTORY), .name = "kernel write 64 B"},
    {FIFO(WRITE, HISTORY), .name = "pipe write 64 B"},
    {FIFO(QUEUE | POLL, BATCH), .name = "kernel poll"},
    {FIFO(POLL, BATCH), .name = "pipe poll"},
    {FIFO(QUEUE | READ, HISTORY), .name = "kernel read 64 B"},
    {FIFO(READ, HISTORY), .name = "pipe read 64 B"},
    {OF(NEWEST | READ, BATCH), .name = "kernel read of the newest"},
    {.setup = setup,
     .batch = mapped_batch,
     .batch_max = BATCH,
     .variant = NEWEST,
     .name = "mapped get of the newest"},
    {0},
};
