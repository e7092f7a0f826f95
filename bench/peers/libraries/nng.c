/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nng.c - nng's pub0 and sub0 over ipc://
 *
 * Every sender listens at an address of its own, every receiver dials all.
 * Messages are written and read in place, in an nng_msg.
 */
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nng/nng.h>
#include <nng/protocol/pubsub0/pub.h>
#include <nng/protocol/pubsub0/sub.h>
#include <nng/supplemental/util/platform.h>

#include "contender.h"
#include "until.h"

enum { QUEUED = 128 };

struct nng {
    struct job job;
    char path[80];
    nng_socket socket;
    bool is_open;
    nng_msg *message;
    int event_fd;
    int timeout_ms; /* that the socket has now */
};

static void *peer_setup(const struct job *job)
{
    struct nng *g = calloc(1, sizeof(*g));
    if (!g)
        return NULL;
    g->job = *job;
    int n = snprintf(g->path, sizeof(g->path), "%s/nng-%u", job->dir, job->id);
    if (n < 0 || (size_t)n >= sizeof(g->path)) {
        snprintf(job->why, job->why_size, "the directory's name is too long for a socket");
        free(g);
        return NULL;
    }
    return g;
}

static void peer_finish(void *link)
{
    free(link);
}

static bool open_sender(struct nng *g, unsigned index)
{
    char address[128];
    snprintf(address, sizeof(address), "ipc://%s-%u", g->path, index);
    g->is_open = nng_pub0_open(&g->socket) == 0;
    return g->is_open && nng_socket_set_int(g->socket, NNG_OPT_SENDBUF, QUEUED) == 0 &&
           nng_listen(g->socket, address, NULL, 0) == 0;
}

/* In the background: a sender may start later. */
static bool dial(struct nng *g, unsigned sender)
{
    char address[128];
    snprintf(address, sizeof(address), "ipc://%s-%u", g->path, sender);
    return nng_dial(g->socket, address, NULL, NNG_FLAG_NONBLOCK) == 0;
}

static bool open_receiver(struct nng *g)
{
    g->is_open = nng_sub0_open(&g->socket) == 0;
    g->timeout_ms = -1;
    bool ok = g->is_open && nng_socket_set(g->socket, NNG_OPT_SUB_SUBSCRIBE, "", 0) == 0 &&
              nng_socket_set_int(g->socket, NNG_OPT_RECVBUF, QUEUED) == 0 &&
              nng_socket_set_size(g->socket, NNG_OPT_RECVMAXSZ, 0) == 0 &&
              nng_socket_set_ms(g->socket, NNG_OPT_RECONNMINT, 5) == 0 &&
              nng_socket_set_ms(g->socket, NNG_OPT_RECONNMAXT, 5) == 0;
    if (ok && g->job.mode == MODE_POLL)
        ok = nng_socket_get_int(g->socket, NNG_OPT_RECVFD, &g->event_fd) == 0;
    for (unsigned i = 0; i < g->job.senders; i++)
        ok = ok && dial(g, i);
    return ok;
}

static bool open_side(struct nng *g, enum side side, unsigned index)
{
    return side == SENDER ? open_sender(g, index) : open_receiver(g);
}

/*
 * A thread of the library spins from when a socket is made until it is
 * connected. With SCHED_FIFO and one core, those that would connect it never
 * run: let the threads have other cores then.
 */
static bool peer_open(void *link, enum side side, unsigned index)
{
    cpu_set_t mine, all;
    if (sched_getscheduler(0) == SCHED_OTHER || sched_getaffinity(0, sizeof(mine), &mine) != 0)
        return open_side(link, side, index);
    memset(&all, 0xff, sizeof(all));
    sched_setaffinity(0, sizeof(all), &all);
    bool ok = open_side(link, side, index);
    return sched_setaffinity(0, sizeof(mine), &mine) == 0 && ok;
}

/* Close throws away what is on its way; the manual says to wait a little. */
static void peer_close(void *link, enum side side, unsigned index)
{
    (void)index;
    struct nng *g = link;
    if (!g->is_open)
        return;
    if (side == SENDER)
        nng_msleep(50);
    nng_close(g->socket);
}

static void *peer_loan(void *link, size_t size)
{
    struct nng *g = link;
    return nng_msg_alloc(&g->message, size) == 0 ? nng_msg_body(g->message) : NULL;
}

static int peer_publish(void *link, void *place, size_t size)
{
    (void)place;
    (void)size;
    struct nng *g = link;
    if (nng_sendmsg(g->socket, g->message, 0) == 0)
        return 1;
    nng_msg_free(g->message);
    return -1;
}

static bool receive_blocking(struct nng *g, int timeout_ms)
{
    if (timeout_ms != g->timeout_ms &&
        nng_socket_set_ms(g->socket, NNG_OPT_RECVTIMEO, timeout_ms) != 0)
        return false;
    g->timeout_ms = timeout_ms;
    return nng_recvmsg(g->socket, &g->message, 0) == 0;
}

static bool receive_spinning(struct nng *g, int timeout_ms)
{
    struct until until = until_after(timeout_ms);
    int result;
    while ((result = nng_recvmsg(g->socket, &g->message, NNG_FLAG_NONBLOCK)) != 0)
        if (result != NNG_EAGAIN || until_over(&until))
            return false;
    return true;
}

static bool receive_polling(struct nng *g, int timeout_ms)
{
    struct until until = until_after(timeout_ms);
    for (;;) {
        struct pollfd poller = {.fd = g->event_fd, .events = POLLIN};
        if (poll(&poller, 1, until_left_ms(&until)) <= 0)
            return false;
        int result = nng_recvmsg(g->socket, &g->message, NNG_FLAG_NONBLOCK);
        if (result != NNG_EAGAIN)
            return result == 0;
    }
}

static const void *peer_take(void *link, size_t *size, int timeout_ms)
{
    struct nng *g = link;
    bool got = g->job.mode == MODE_SPIN   ? receive_spinning(g, timeout_ms)
               : g->job.mode == MODE_POLL ? receive_polling(g, timeout_ms)
                                          : receive_blocking(g, timeout_ms);
    if (!got)
        return NULL;
    *size = nng_msg_len(g->message);
    return nng_msg_body(g->message);
}

static bool peer_give_back(void *link, const void *place)
{
    (void)place;
    struct nng *g = link;
    nng_msg_free(g->message);
    return true;
}

static const struct contender nng = {
    .name = "nng",
    .source = __FILE__ " libraries/until.h",
    .kind = KIND_LIBRARY,
    .package = "libnng-dev",
    .settings = "pub0/sub0 over ipc; messages written and read in place; queues of 128 messages at "
                "both ends (the default of a subscriber); a slow receiver loses the oldest",
    .modes = MODE_BLOCK | MODE_SPIN | MODE_POLL,
    .setup = peer_setup,
    .finish = peer_finish,
    .open = peer_open,
    .close = peer_close,
    .loan = peer_loan,
    .publish = peer_publish,
    .take = peer_take,
    .give_back = peer_give_back,
};

const struct contender *const contenders[] = {&nng, NULL};
