/* SPDX-License-Identifier: BSD-3-Clause */
/* mq.c - a POSIX message queue to each receiver, that all senders send to */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "built_in.h"

#define SIZE_MAX_OF_ROOT ((size_t)16 * 1024 * 1024)
#define MESSAGES 10 /* what everybody may have */
#define NS_PER_S 1000000000l

struct queues {
    mqd_t queue[RECEIVERS_MAX];
    unsigned count;
};

/* Root may have longer messages, and more bytes in queues, than others. The name of a queue goes at
   once; the ends inherit the queue. */
static bool setup(struct link *l)
{
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    struct mq_attr attr = {.mq_maxmsg = MESSAGES, .mq_msgsize = (long)l->size};
    struct queues *q = l->state;
    char name[64];

    setrlimit(RLIMIT_MSGQUEUE, &all);
    snprintf(name, sizeof(name), "/ach-peers-%d-%u", (int)getpid(), l->id);
    for (; q->count < l->receivers; q->count++) {
        q->queue[q->count] = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
        if (q->queue[q->count] == (mqd_t)-1)
            return refuse(l, "no queue: %s; see /proc/sys/fs/mqueue/msgsize_max", strerror(errno));
        mq_unlink(name);
    }
    return true;
}

static void finish(struct link *l)
{
    struct queues *q = l->state;

    while (q->count > 0)
        mq_close(q->queue[--q->count]);
}

static bool open_end(struct link *l)
{
    l->fd = (int)((struct queues *)l->state)->queue[l->index];
    return true;
}

static int send_message(struct link *l)
{
    const struct queues *q = l->state;
    unsigned i;

    for (i = 0; i < q->count; i++)
        while (mq_send(q->queue[i], l->message, l->size, 0) != 0)
            if (errno != EINTR)
                return -1;
    return 1;
}

static ssize_t receive(struct link *l, int timeout_ms)
{
    struct timespec end;
    ssize_t n;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += timeout_ms % 1000 * 1000000l;
    end.tv_sec += timeout_ms / 1000 + end.tv_nsec / NS_PER_S;
    end.tv_nsec %= NS_PER_S;
    n = mq_timedreceive((mqd_t)l->fd, l->message, l->size, NULL, &end);
    return n < 0 && (errno == ETIMEDOUT || errno == EINTR) ? 0 : n;
}

const struct contender mq_contender = {
    .name = "POSIX queue",
    .source = __FILE__,
    .kind = KIND_KERNEL,
    .settings = "a queue of 10 messages per receiver",
    .modes = MODE_BLOCK | MODE_POLL,
    .max_size = SIZE_MAX_OF_ROOT,
    .state_size = sizeof(struct queues),
    .setup = setup,
    .finish = finish,
    .open = open_end,
    .send = send_message,
    .receive = receive,
};
