/* SPDX-License-Identifier: BSD-3-Clause */
#include "lanes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../ticks.h"
#include "setup.h"

#define BUFFER_MIN ((size_t)256 * 1024)
#define MESSAGES_IN_BUFFER 4u

static void close_lane(int fd[2])
{
    if (fd[LANE_OUT] >= 0)
        close(fd[LANE_OUT]);
    if (fd[LANE_IN] >= 0)
        close(fd[LANE_IN]);
}

void lanes_finish(void *link)
{
    struct lanes *l = link;

    while (l->count > 0)
        close_lane(l->fd[--l->count]);
    free(l->fd);
    free(l->in);
    free(l->out);
    free(l);
}

static struct lanes *allocate(const struct job *job, unsigned count)
{
    struct lanes *l = calloc(1, sizeof(*l));

    if (!l)
        return NULL;
    l->job = *job;
    l->fd = calloc(count, sizeof(*l->fd));
    l->in = calloc(count, sizeof(*l->in));
    l->out = calloc(count, sizeof(*l->out));
    if (l->fd && l->in && l->out)
        return l;
    lanes_finish(l);
    return NULL;
}

struct lanes *lanes_create(const struct job *job, bool lane_per_sender, lane_make *make)
{
    unsigned count = job->receivers * (lane_per_sender ? job->senders : 1);
    struct lanes *l = allocate(job, count);

    if (!l)
        return refuse(job, "no memory");
    while (l->count < count) {
        int *fd = l->fd[l->count];

        fd[LANE_OUT] = fd[LANE_IN] = -1;
        if (!make(l, l->count, fd)) {
            refuse(job, "cannot be made: %s", strerror(errno));
            close_lane(fd);
            lanes_finish(l);
            return NULL;
        }
        l->count++;
    }
    return l;
}

/* The limits do not hold for root. */
static bool set_buffer(int fd, int forced, int asked, int bytes)
{
    return setsockopt(fd, SOL_SOCKET, forced, &bytes, sizeof(bytes)) == 0 ||
           setsockopt(fd, SOL_SOCKET, asked, &bytes, sizeof(bytes)) == 0;
}

bool lane_buffers(int fd, size_t size)
{
    size_t bytes = size * MESSAGES_IN_BUFFER < BUFFER_MIN ? BUFFER_MIN : size * MESSAGES_IN_BUFFER;

    return set_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, (int)bytes) &&
           set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, (int)bytes);
}

/* Lanes of their own: those of a sender lie side by side. */
static bool is_mine(const struct lanes *l, enum side side, unsigned index, unsigned lane)
{
    if (side == RECEIVER)
        return lane % l->job.receivers == index;
    return l->fd[lane][LANE_OUT] >= 0 &&
           (l->count == l->job.receivers || lane / l->job.receivers == index);
}

bool lanes_open(void *link, enum side side, unsigned index)
{
    struct lanes *l = link;
    unsigned i;

    signal(SIGPIPE, SIG_IGN);
    for (i = 0; i < l->count; i++) {
        if (!is_mine(l, side, index, i))
            continue;
        if (side == SENDER) {
            l->out[l->outs++] = l->fd[i][LANE_OUT];
            continue;
        }
        l->in[l->ins++] = (struct pollfd){.fd = l->fd[i][LANE_IN], .events = POLLIN};
        if (l->job.mode == MODE_SPIN && fcntl(l->fd[i][LANE_IN], F_SETFL, O_NONBLOCK) != 0)
            return false;
    }
    return true;
}

void lanes_close(void *link, enum side side, unsigned index)
{
    struct lanes *l = link;

    (void)side;
    (void)index;
    l->ins = l->outs = 0;
}

/* Nobody listens yet, or the queue of the device is full: the datagram is gone. */
static bool is_loss(int error)
{
    return error == ECONNREFUSED || error == ENOBUFS;
}

static int write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return is_loss(errno) ? 0 : -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 1;
}

int lanes_send(void *link, const void *message, size_t size)
{
    const struct lanes *l = link;
    int result = 1;
    unsigned i;

    for (i = 0; i < l->outs; i++) {
        int r = write_all(l->out[i], message, size);

        if (r < result)
            result = r;
    }
    return result;
}

/* 0: none there. */
static ssize_t read_some(int fd, unsigned char *bytes, size_t size)
{
    ssize_t n;

    do
        n = read(fd, bytes, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN ? 0 : -1;
    return n == 0 ? -1 : n;
}

/* Polls, and says which one to read; -1: none within the time. */
static int poll_lanes(struct lanes *l, int timeout_ms)
{
    int n;

    do
        n = poll(l->in, l->ins, timeout_ms);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return -1;
    while (l->in[l->next].revents == 0)
        l->next = (l->next + 1) % l->ins;
    return l->in[l->next].fd;
}

static void limit_time(struct lanes *l, int timeout_ms)
{
    const struct timeval limit = {.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000};

    if (timeout_ms == l->time_limit)
        return;
    l->time_limit = timeout_ms;
    setsockopt(l->in[0].fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

static ssize_t spin(struct lanes *l, unsigned char *bytes, int timeout_ms, int *fd)
{
    uint64_t end = clock_ns() + (uint64_t)timeout_ms * 1000000u;

    do {
        ssize_t n;

        *fd = l->in[l->next].fd;
        n = read_some(*fd, bytes, l->job.size);
        if (n != 0)
            return n;
        l->next = (l->next + 1) % l->ins;
    } while (clock_ns() < end);
    return 0;
}

/* The first bytes of a message, and where the rest will come from. */
static ssize_t begin(struct lanes *l, unsigned char *bytes, int timeout_ms, int *fd)
{
    if (l->job.mode == MODE_SPIN)
        return spin(l, bytes, timeout_ms, fd);
    if (l->job.mode == MODE_POLL || l->ins > 1 || timeout_ms == 0) {
        *fd = poll_lanes(l, timeout_ms);
        if (*fd < 0)
            return 0;
        l->next = (l->next + 1) % l->ins;
    } else {
        limit_time(l, timeout_ms);
        *fd = l->in[0].fd;
    }
    return read_some(*fd, bytes, l->job.size);
}

ssize_t lanes_receive(void *link, void *buffer, size_t room, int timeout_ms)
{
    struct lanes *l = link;
    unsigned char *bytes = buffer;
    size_t got;
    ssize_t n;
    int fd;

    if (room < l->job.size)
        return -1;
    n = begin(l, bytes, timeout_ms, &fd);
    if (n <= 0)
        return n;
    for (got = (size_t)n; got < l->job.size; got += (size_t)n) {
        n = read_some(fd, bytes + got, l->job.size - got);
        if (n < 0)
            return -1;
    }
    return (ssize_t)got;
}
