/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zeromq.c - ZeroMQ's PUB and SUB sockets over ipc://
 *
 * Every sender binds an address of its own, every receiver connects to all.
 * Messages are written and read in place, in a zmq_msg_t.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <zmq.h>

#include "contender.h"
#include "until.h"

/* What has been sent still goes out when the socket is closed, but nobody waits long for it. */
enum { LINGER_MS = 200 };

struct zeromq {
    struct job job;
    char path[80];
    void *context, *socket;
    zmq_msg_t message;
    int event_fd;
    int timeout_ms; /* that the socket has now */
};

static void *zeromq_setup(const struct job *job)
{
    struct zeromq *z = calloc(1, sizeof(*z));
    if (!z)
        return NULL;
    z->job = *job;
    int n = snprintf(z->path, sizeof(z->path), "%s/zeromq-%u", job->dir, job->id);
    if (n < 0 || (size_t)n >= sizeof(z->path)) {
        snprintf(job->why, job->why_size, "the directory's name is too long for a socket");
        free(z);
        return NULL;
    }
    return z;
}

/* The library leaves the sockets' files behind. */
static void zeromq_finish(void *link)
{
    struct zeromq *z = link;
    for (unsigned i = 0; i < z->job.senders; i++) {
        char name[128];
        snprintf(name, sizeof(name), "%s-%u", z->path, i);
        unlink(name);
    }
    free(z);
}

static bool set_int(struct zeromq *z, int option, int value)
{
    return zmq_setsockopt(z->socket, option, &value, sizeof(value)) == 0;
}

/* Queues have 1000 messages by default; large messages get fewer, or they would fill the memory. */
static int high_water_mark(size_t size)
{
    size_t most = ((size_t)64 << 20) / (size ? size : 1);
    return most > 1000 ? 1000 : most < 16 ? 16 : (int)most;
}

static bool attach(struct zeromq *z, enum side side, unsigned sender)
{
    char address[128];
    snprintf(address, sizeof(address), "ipc://%s-%u", z->path, sender);
    return (side == SENDER ? zmq_bind : zmq_connect)(z->socket, address) == 0;
}

static bool open_sender(struct zeromq *z, unsigned index)
{
    return set_int(z, ZMQ_SNDHWM, high_water_mark(z->job.size)) && attach(z, SENDER, index);
}

static bool open_receiver(struct zeromq *z)
{
    bool ok = set_int(z, ZMQ_RCVHWM, high_water_mark(z->job.size)) &&
              set_int(z, ZMQ_RECONNECT_IVL, 5) &&
              zmq_setsockopt(z->socket, ZMQ_SUBSCRIBE, "", 0) == 0;
    for (unsigned i = 0; i < z->job.senders; i++)
        ok = ok && attach(z, RECEIVER, i);
    z->timeout_ms = -1;
    size_t size = sizeof(z->event_fd);
    return ok && zmq_getsockopt(z->socket, ZMQ_FD, &z->event_fd, &size) == 0;
}

static bool zeromq_open(void *link, enum side side, unsigned index)
{
    struct zeromq *z = link;
    z->context = zmq_ctx_new();
    z->socket = z->context ? zmq_socket(z->context, side == SENDER ? ZMQ_PUB : ZMQ_SUB) : NULL;
    return z->socket && set_int(z, ZMQ_LINGER, LINGER_MS) &&
           (side == SENDER ? open_sender(z, index) : open_receiver(z));
}

static void zeromq_close(void *link, enum side side, unsigned index)
{
    (void)side;
    (void)index;
    struct zeromq *z = link;
    if (z->socket)
        zmq_close(z->socket);
    if (z->context)
        zmq_ctx_term(z->context);
}

static void *zeromq_loan(void *link, size_t size)
{
    struct zeromq *z = link;
    return zmq_msg_init_size(&z->message, size) == 0 ? zmq_msg_data(&z->message) : NULL;
}

static int zeromq_publish(void *link, void *place, size_t size)
{
    (void)place;
    (void)size;
    struct zeromq *z = link;
    if (zmq_msg_send(&z->message, z->socket, 0) >= 0)
        return 1;
    int error = errno;
    zmq_msg_close(&z->message);
    return error == EAGAIN ? 0 : -1;
}

static bool receive_blocking(struct zeromq *z, int timeout_ms)
{
    if (timeout_ms != z->timeout_ms && !set_int(z, ZMQ_RCVTIMEO, timeout_ms))
        return false;
    z->timeout_ms = timeout_ms;
    return zmq_msg_recv(&z->message, z->socket, 0) >= 0;
}

static bool receive_spinning(struct zeromq *z, int timeout_ms)
{
    struct until until = until_after(timeout_ms);
    while (zmq_msg_recv(&z->message, z->socket, ZMQ_DONTWAIT) < 0)
        if (errno != EAGAIN || until_over(&until))
            return false;
    return true;
}

/* The descriptor tells only that something has changed: one looks before one sleeps. */
static bool receive_polling(struct zeromq *z, int timeout_ms)
{
    struct until until = until_after(timeout_ms);
    while (zmq_msg_recv(&z->message, z->socket, ZMQ_DONTWAIT) < 0) {
        struct pollfd poller = {.fd = z->event_fd, .events = POLLIN};
        if (errno != EAGAIN || poll(&poller, 1, until_left_ms(&until)) <= 0)
            return false;
    }
    return true;
}

static const void *zeromq_take(void *link, size_t *size, int timeout_ms)
{
    struct zeromq *z = link;
    zmq_msg_init(&z->message);
    bool got = z->job.mode == MODE_SPIN   ? receive_spinning(z, timeout_ms)
               : z->job.mode == MODE_POLL ? receive_polling(z, timeout_ms)
                                          : receive_blocking(z, timeout_ms);
    if (!got) {
        zmq_msg_close(&z->message);
        return NULL;
    }
    *size = zmq_msg_size(&z->message);
    return zmq_msg_data(&z->message);
}

static bool zeromq_give_back(void *link, const void *place)
{
    (void)place;
    struct zeromq *z = link;
    return zmq_msg_close(&z->message) == 0;
}

static const struct contender zeromq = {
    .name = "zeromq",
    .source = __FILE__ " libraries/until.h",
    .kind = KIND_LIBRARY,
    .package = "libzmq3-dev",
    .settings = "PUB/SUB over ipc; messages written and read in place; one I/O thread; high water "
                "marks 1000 messages (the default) or 64 MiB; a slow receiver loses the newest",
    .modes = MODE_BLOCK | MODE_SPIN | MODE_POLL,
    .setup = zeromq_setup,
    .finish = zeromq_finish,
    .open = zeromq_open,
    .close = zeromq_close,
    .loan = zeromq_loan,
    .publish = zeromq_publish,
    .take = zeromq_take,
    .give_back = zeromq_give_back,
};

const struct contender *const contenders[] = {&zeromq, NULL};
