/* SPDX-License-Identifier: BSD-3-Clause */
#include "lanes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "ticks.h"

#define BUFFER_MIN ((size_t)256 * 1024)
#define MESSAGES_IN_BUFFER 4u

bool lanes_setup(struct link *l)
{
    const struct lane_kind *kind = l->c->variant;
    struct lanes *s = l->state;
    unsigned count = l->receivers * (kind->per_sender ? l->senders : 1);

    memset(s->fd, -1, sizeof(s->fd));
    if (kind->whole_max && l->senders > 1 && l->size > kind->whole_max)
        return refuse(l, "messages of several senders over %zu bytes mix", kind->whole_max);
    for (; s->count < count; s->count++)
        if (!kind->make(l, s->fd[s->count]))
            return refuse(l, "cannot be made: %s", strerror(errno));
    return true;
}

void lanes_finish(struct link *l)
{
    struct lanes *s = l->state;
    unsigned i;

    for (i = 0; i < LANES_MAX; i++) {
        close(s->fd[i][LANE_OUT]);
        close(s->fd[i][LANE_IN]);
    }
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

bool lane_bind(int fd, struct sockaddr_in *at)
{
    socklen_t length = sizeof(*at);

    return bind(fd, (struct sockaddr *)at, length) == 0 &&
           getsockname(fd, (struct sockaddr *)at, &length) == 0;
}

/* Lanes of their own: those of a sender lie side by side. */
static bool is_mine(const struct link *l, const struct lanes *s, unsigned lane)
{
    if (l->side == RECEIVER)
        return lane % l->receivers == l->index;
    return s->fd[lane][LANE_OUT] >= 0 &&
           (s->count == l->receivers || lane / l->receivers == l->index);
}

bool lanes_open(struct link *l)
{
    struct lanes *s = l->state;
    unsigned i;

    signal(SIGPIPE, SIG_IGN);
    for (i = 0; i < s->count; i++) {
        if (!is_mine(l, s, i))
            continue;
        s->out[s->outs++] = s->fd[i][LANE_OUT];
        s->in[s->ins++] = (struct pollfd){.fd = s->fd[i][LANE_IN], .events = POLLIN};
        if (l->side == RECEIVER && l->mode == MODE_SPIN &&
            fcntl(s->fd[i][LANE_IN], F_SETFL, O_NONBLOCK) != 0)
            return false;
    }
    return true;
}

/* ECONNREFUSED, ENOBUFS: nobody listens yet, or the device's queue is full: a lost datagram. */
static int write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == ECONNREFUSED || errno == ENOBUFS ? 0 : -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 1;
}

int lanes_send(struct link *l)
{
    const struct lanes *s = l->state;
    int result = 1;
    unsigned i;

    for (i = 0; i < s->outs; i++) {
        int r = write_all(s->out[i], l->message, l->size);

        if (r < result)
            result = r;
    }
    return result;
}

bool lanes_limit(struct link *l, int timeout_ms)
{
    const struct timeval limit = {.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000};
    const struct lanes *s = l->state;

    setsockopt(s->in[0].fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)); /* not of a pipe */
    return true;
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

/* The lane to look at next; in poll, one that has something. -1: none within the time. */
static int next_lane(struct link *l, struct lanes *s, int timeout_ms)
{
    int fd;

    if (l->mode == MODE_POLL || (l->mode == MODE_BLOCK && s->ins > 1)) {
        if (poll(s->in, s->ins, timeout_ms) <= 0)
            return -1;
        while (s->in[s->next].revents == 0)
            s->next = (s->next + 1) % s->ins;
    }
    fd = s->in[s->next].fd;
    s->next = (s->next + 1) % s->ins;
    return fd;
}

ssize_t lanes_receive(struct link *l, int timeout_ms)
{
    uint64_t end = l->mode == MODE_SPIN ? clock_ns() + (uint64_t)timeout_ms * 1000000u : 0;
    unsigned char *bytes = l->message;
    size_t got;
    ssize_t n;
    int fd;

    do {
        fd = next_lane(l, l->state, timeout_ms);
        n = fd < 0 ? 0 : read_some(fd, bytes, l->size);
    } while (n == 0 && end && clock_ns() < end);
    if (n <= 0)
        return n;
    for (got = (size_t)n; got < l->size; got += (size_t)n) {
        n = read_some(fd, bytes + got, l->size - got);
        if (n < 0)
            return -1;
    }
    return (ssize_t)got;
}
