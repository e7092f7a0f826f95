/* SPDX-License-Identifier: BSD-3-Clause */
/* mq.c - a POSIX message queue to each receiver, that all senders send to */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "setup.h"

#define SIZE_MAX_OF_ROOT ((size_t)16 * 1024 * 1024)
#define MESSAGES 10 /* what everybody may have */
#define NS_PER_S 1000000000l

struct queues {
    struct job job;
    mqd_t *queue;
    unsigned count;
    mqd_t mine; /* a receiver's */
};

static void finish(void *link)
{
    struct queues *q = link;

    while (q->count > 0)
        mq_close(q->queue[--q->count]);
    free(q->queue);
    free(q);
}

static long size_limit(void)
{
    FILE *f = fopen("/proc/sys/fs/mqueue/msgsize_max", "re");
    long value = 0;

    if (f && fscanf(f, "%ld", &value) != 1)
        value = 0;
    if (f)
        fclose(f);
    return value;
}

/* Root may have longer messages, and more bytes in queues, than others. */
static void raise_limit(void)
{
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};

    setrlimit(RLIMIT_MSGQUEUE, &all);
}

/* The name goes at once; the ends inherit the queue. */
static mqd_t make(const struct job *job, unsigned index)
{
    struct mq_attr attr = {.mq_maxmsg = MESSAGES, .mq_msgsize = (long)job->size};
    char name[64];
    mqd_t queue;

    snprintf(name, sizeof(name), "/ach-peers-%d-%u-%u", (int)getpid(), job->id, index);
    queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
    if (queue != (mqd_t)-1)
        mq_unlink(name);
    return queue;
}

static void *setup(const struct job *job)
{
    struct queues *q = calloc(1, sizeof(*q));

    if (!q || !(q->queue = calloc(job->receivers, sizeof(*q->queue)))) {
        free(q);
        return refuse(job, "no memory");
    }
    q->job = *job;
    raise_limit();
    for (; q->count < job->receivers; q->count++) {
        q->queue[q->count] = make(job, q->count);
        if (q->queue[q->count] != (mqd_t)-1)
            continue;
        refuse(job, "no queue: %s; msgsize_max is %ld", strerror(errno), size_limit());
        finish(q);
        return NULL;
    }
    return q;
}

static bool open_end(void *link, enum side side, unsigned index)
{
    struct queues *q = link;

    if (side == RECEIVER)
        q->mine = q->queue[index];
    return true;
}

static int send_message(void *link, const void *message, size_t size)
{
    const struct queues *q = link;
    unsigned i;
    int r;

    for (i = 0; i < q->count; i++) {
        do
            r = mq_send(q->queue[i], message, size, 0);
        while (r != 0 && errno == EINTR);
        if (r != 0)
            return -1;
    }
    return 1;
}

static bool is_there(mqd_t queue, int timeout_ms)
{
    struct pollfd p = {.fd = (int)queue, .events = POLLIN};
    int n;

    do
        n = poll(&p, 1, timeout_ms);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

static struct timespec later(int ms)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000l;
    if (t.tv_nsec >= NS_PER_S) {
        t.tv_nsec -= NS_PER_S;
        t.tv_sec++;
    }
    return t;
}

static ssize_t receive(void *link, void *buffer, size_t room, int timeout_ms)
{
    const struct queues *q = link;
    struct timespec end;
    ssize_t n;

    if (q->job.mode == MODE_POLL) {
        if (!is_there(q->mine, timeout_ms))
            return 0;
        timeout_ms = 0;
    }
    end = later(timeout_ms);
    do
        n = mq_timedreceive(q->mine, buffer, room, NULL, &end);
    while (n < 0 && errno == EINTR);
    return n < 0 && errno == ETIMEDOUT ? 0 : n;
}

const struct contender mq_contender = {
    .name = "POSIX queue",
    .source = __FILE__,
    .kind = KIND_KERNEL,
    .settings = "a queue of 10 messages per receiver",
    .modes = MODE_BLOCK | MODE_POLL,
    .max_size = SIZE_MAX_OF_ROOT,
    .setup = setup,
    .finish = finish,
    .open = open_end,
    .close = close_nothing,
    .send = send_message,
    .receive = receive,
};
