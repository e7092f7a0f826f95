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

/* What is written to out can be read from in. */
struct ends {
    ach_channel_t chan; /* the channel's, if it is one */
    int in, out;
    unsigned char message[MESSAGE_SIZE] APART;
};

const char *kernel_missing(void)
{
    return access(ACH_KERNEL_CONTROL, R_OK | W_OK) == 0
               ? NULL
               : "the kernel module is not loaded, or not for us";
}

static struct ends *device_open(int flags)
{
    struct ends *e = private_alloc(sizeof(*e));
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    MUST_ACH(ach_create_attr_set_map(&attr, ACH_MAP_KERNEL));
    MUST_ACH(ach_create(NAME, HISTORY, MESSAGE_SIZE, &attr));
    MUST_ACH(ach_open(&e->chan, NAME, NULL));
    e->out = open(ACH_KERNEL_PREFIX NAME, O_WRONLY | O_CLOEXEC);
    e->in = open(ACH_KERNEL_PREFIX NAME, O_RDONLY | O_CLOEXEC | flags);
    MUST_SYS(e->in >= 0 && e->out >= 0);
    MUST_SYS(write(e->out, e->message, sizeof(e->message)) == (ssize_t)sizeof(e->message));
    return e;
}

static void *queue_setup(const struct op *op)
{
    struct ends *e = device_open(0);

    (void)op;
    MUST_SYS(ioctl(e->in, ACH_KERNEL_FLUSH) == 0);
    return e;
}

/* Read gets the newest message, again and again. */
static void *newest_setup(const struct op *op)
{
    const struct ach_kernel_options o = {.options = ACH_O_LAST | ACH_O_COPY,
                                         .timeout = ACH_KERNEL_FOREVER};
    struct ends *e = device_open(O_NONBLOCK);

    (void)op;
    MUST_SYS(ioctl(e->in, ACH_KERNEL_OPTIONS, &o) == 0);
    return e;
}

static void device_finish(void *state)
{
    struct ends *e = state;

    close(e->in);
    close(e->out);
    ach_close(&e->chan);
    ach_unlink(NAME);
    free(e);
}

static void *pipe_setup(const struct op *op)
{
    struct ends *e = private_alloc(sizeof(*e));
    int fd[2];

    (void)op;
    MUST_SYS(pipe2(fd, O_CLOEXEC) == 0);
    e->in = fd[0];
    e->out = fd[1];
    return e;
}

static void pipe_finish(void *state)
{
    struct ends *e = state;

    close(e->in);
    close(e->out);
    free(e);
}

static inline void do_write(const struct ends *e)
{
    if (write(e->out, e->message, sizeof(e->message)) != (ssize_t)sizeof(e->message))
        abort();
}

static inline void do_poll(const struct ends *e)
{
    struct pollfd p = {.fd = e->in, .events = POLLIN};

    if (poll(&p, 1, 0) != 1)
        abort();
}

static inline void do_read(struct ends *e)
{
    if (read(e->in, e->message, sizeof(e->message)) != (ssize_t)sizeof(e->message))
        abort();
}

static void all_batch(void *state, unsigned n)
{
    while (n--) {
        do_write(state);
        do_poll(state);
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
        do_poll(state);
}

static void read_batch(void *state, unsigned n)
{
    while (n--)
        do_read(state);
}

/* Nothing is there before a batch of writes, and as much as it takes before one of reads. */
static void drain(void *state, unsigned n)
{
    struct ends *e = state;
    struct pollfd p = {.fd = e->in, .events = POLLIN};

    (void)n;
    while (poll(&p, 1, 0) == 1)
        do_read(e);
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

#define QUEUE .setup = queue_setup, .finish = device_finish
#define NEWEST .setup = newest_setup, .finish = device_finish, .batch_max = BATCH
#define PIPE .setup = pipe_setup, .finish = pipe_finish
#define ALL .batch = all_batch, .batch_max = BATCH
#define WRITE .prepare = drain, .batch = write_batch, .batch_max = HISTORY
#define POLL .prepare = fill, .batch = poll_batch, .batch_max = BATCH
#define READ .prepare = fill, .batch = read_batch, .batch_max = HISTORY

const struct op kernel_ops[] = {
    {QUEUE, ALL, .name = "kernel write, poll, read"},
    {PIPE, ALL, .name = "pipe write, poll, read"},
    {QUEUE, WRITE, .name = "kernel write 64 B"},
    {PIPE, WRITE, .name = "pipe write 64 B"},
    {QUEUE, POLL, .name = "kernel poll"},
    {PIPE, POLL, .name = "pipe poll"},
    {QUEUE, READ, .name = "kernel read 64 B"},
    {PIPE, READ, .name = "pipe read 64 B"},
    {NEWEST, .name = "kernel read of the newest", .batch = read_batch},
    {NEWEST, .name = "mapped get of the newest", .batch = mapped_batch},
    {0},
};
