/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blocking.c - how soon a sleeping process has a message of 64 bytes
 *
 * Against what the kernel offers: a futex with the message beside it, a pipe,
 * and an eventfd with the message in shared memory. A channel is waited for in
 * get, and in epoll beside whatever else a program waits for. Once to and fro, where the
 * cores stay awake, and once a thousand times a second, as a control loop does.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "link.h"
#include "peer.h"
#include "ticks.h"

#define ROUND_TRIPS 1500u
#define MESSAGES 150u
#define PERIOD_NS 1000000l

/* Indexed by the side that sends. */
struct mailbox {
    uint32_t sequence APART;
    struct message message;
};

struct kernel_link {
    struct mailbox *box; /* two of them, shared */
    uint32_t seen;       /* of the other side's mailbox */
    int read_fd[2], write_fd[2];
};

static void *kernel_link_setup(void)
{
    struct kernel_link *l = calloc(1, sizeof(*l));

    MUST(l != NULL);
    l->box = shared_alloc(2 * sizeof(*l->box));
    l->read_fd[0] = l->read_fd[1] = l->write_fd[0] = l->write_fd[1] = -1;
    return l;
}

static void *pipe_setup(void)
{
    struct kernel_link *l = kernel_link_setup();
    int side, fd[2];

    for (side = 0; side < 2; side++) {
        MUST_SYS(pipe2(fd, O_CLOEXEC) == 0);
        l->read_fd[side] = fd[0];
        l->write_fd[side] = fd[1];
    }
    return l;
}

static void *eventfd_setup(void)
{
    struct kernel_link *l = kernel_link_setup();
    int side;

    for (side = 0; side < 2; side++) {
        l->read_fd[side] = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
        l->write_fd[side] = l->read_fd[side];
        MUST_SYS(l->read_fd[side] >= 0);
    }
    return l;
}

static void kernel_link_finish(void *state)
{
    struct kernel_link *l = state;
    int side;

    for (side = 0; side < 2; side++) {
        if (l->write_fd[side] != l->read_fd[side])
            close(l->write_fd[side]);
        if (l->read_fd[side] >= 0)
            close(l->read_fd[side]);
    }
    shared_free(l->box, 2 * sizeof(*l->box));
    free(l);
}

static void futex_attach(void *link, int side)
{
    struct kernel_link *l = link;

    l->seen = __atomic_load_n(&l->box[!side].sequence, __ATOMIC_ACQUIRE);
}

static void futex_send(void *link, int side, const struct message *m)
{
    struct mailbox *box = &((struct kernel_link *)link)->box[side];

    memcpy(&box->message, m, sizeof(*m));
    __atomic_store_n(&box->sequence, box->sequence + 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &box->sequence, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void futex_receive(void *link, int side, struct message *m)
{
    struct kernel_link *l = link;
    struct mailbox *box = &l->box[!side];

    while (__atomic_load_n(&box->sequence, __ATOMIC_ACQUIRE) == l->seen)
        syscall(SYS_futex, &box->sequence, FUTEX_WAIT, l->seen, NULL, NULL, 0);
    memcpy(m, &box->message, sizeof(*m));
    l->seen++;
}

static void pipe_send(void *link, int side, const struct message *m)
{
    struct kernel_link *l = link;

    MUST_SYS(write(l->write_fd[side], m, sizeof(*m)) == (ssize_t)sizeof(*m));
}

static void pipe_receive(void *link, int side, struct message *m)
{
    struct kernel_link *l = link;

    MUST_SYS(read(l->read_fd[!side], m, sizeof(*m)) == (ssize_t)sizeof(*m));
}

static void eventfd_send(void *link, int side, const struct message *m)
{
    struct kernel_link *l = link;
    uint64_t one = 1;

    memcpy(&l->box[side].message, m, sizeof(*m));
    MUST_SYS(write(l->write_fd[side], &one, sizeof(one)) == (ssize_t)sizeof(one));
}

static void eventfd_receive(void *link, int side, struct message *m)
{
    struct kernel_link *l = link;
    uint64_t n;

    MUST_SYS(read(l->read_fd[!side], &n, sizeof(n)) == (ssize_t)sizeof(n));
    memcpy(m, &l->box[!side].message, sizeof(*m));
}

static const struct link_ops futex_link = {futex_attach, futex_send, futex_receive, NULL};
static const struct link_ops pipe_link = {NULL, pipe_send, pipe_receive, NULL};
static const struct link_ops eventfd_link = {NULL, eventfd_send, eventfd_receive, NULL};

static void *channel_setup(void)
{
    return channel_link_create("blocking", 0);
}

static void ping_pong(const struct link_ops *ops, void *state, struct trial *trial)
{
    link_ping_pong(ops, state, scaled(trial, ROUND_TRIPS, 100), 1, trial->typical);
}

static void paced(const struct link_ops *ops, void *state, struct trial *trial)
{
    link_paced(ops, state, scaled(trial, MESSAGES, 20), PERIOD_NS, trial->typical);
}

static void channel_ping_pong(void *state, struct trial *trial)
{
    ping_pong(&channel_link_wait, state, trial);
}

static void epoll_ping_pong(void *state, struct trial *trial)
{
    ping_pong(&channel_link_epoll, state, trial);
}

static void helper_ping_pong(void *state, struct trial *trial)
{
    ping_pong(&channel_link_helper, state, trial);
}

static void futex_ping_pong(void *state, struct trial *trial)
{
    ping_pong(&futex_link, state, trial);
}

static void pipe_ping_pong(void *state, struct trial *trial)
{
    ping_pong(&pipe_link, state, trial);
}

static void eventfd_ping_pong(void *state, struct trial *trial)
{
    ping_pong(&eventfd_link, state, trial);
}

static void channel_paced(void *state, struct trial *trial)
{
    paced(&channel_link_wait, state, trial);
}

static void epoll_paced(void *state, struct trial *trial)
{
    paced(&channel_link_epoll, state, trial);
}

static void helper_paced(void *state, struct trial *trial)
{
    paced(&channel_link_helper, state, trial);
}

static void futex_paced(void *state, struct trial *trial)
{
    paced(&futex_link, state, trial);
}

static void pipe_paced(void *state, struct trial *trial)
{
    paced(&pipe_link, state, trial);
}

static void eventfd_paced(void *state, struct trial *trial)
{
    paced(&eventfd_link, state, trial);
}

enum { CHANNEL, EPOLL, HELPER, FUTEX, PIPE, EVENTFD };

static const struct contender ping_pong_contenders[] = {
    [CHANNEL] = {"channel", channel_setup, channel_ping_pong, channel_link_destroy},
    [EPOLL] = {"channel, epoll", channel_setup, epoll_ping_pong, channel_link_destroy},
    [HELPER] = {"channel, epoll, helper thread", channel_setup, helper_ping_pong,
                channel_link_destroy},
    [FUTEX] = {"futex pair", kernel_link_setup, futex_ping_pong, kernel_link_finish},
    [PIPE] = {"pipe", pipe_setup, pipe_ping_pong, kernel_link_finish},
    [EVENTFD] = {"eventfd", eventfd_setup, eventfd_ping_pong, kernel_link_finish},
};

static const struct contender paced_contenders[] = {
    [CHANNEL] = {"channel", channel_setup, channel_paced, channel_link_destroy},
    [EPOLL] = {"channel, epoll", channel_setup, epoll_paced, channel_link_destroy},
    [HELPER] = {"channel, epoll, helper thread", channel_setup, helper_paced, channel_link_destroy},
    [FUTEX] = {"futex pair", kernel_link_setup, futex_paced, kernel_link_finish},
    [PIPE] = {"pipe", pipe_setup, pipe_paced, kernel_link_finish},
    [EVENTFD] = {"eventfd", eventfd_setup, eventfd_paced, kernel_link_finish},
};

static const struct claim ping_pong_claims[] = {
    {CHANNEL, EVENTFD, CLAIM_AT_MOST, 1.15}, {CHANNEL, FUTEX, CLAIM_NOTHING, 0},
    {EPOLL, FUTEX, CLAIM_AT_MOST, 1.8},      {HELPER, FUTEX, CLAIM_NOTHING, 0},
    {FUTEX, FUTEX, CLAIM_NOTHING, 0},        {PIPE, FUTEX, CLAIM_NOTHING, 0},
    {EVENTFD, FUTEX, CLAIM_NOTHING, 0},
};

static const struct claim paced_claims[] = {
    {CHANNEL, FUTEX, CLAIM_AT_MOST, 1.1}, {EPOLL, FUTEX, CLAIM_AT_MOST, 1.5},
    {HELPER, FUTEX, CLAIM_NOTHING, 0},    {FUTEX, FUTEX, CLAIM_NOTHING, 0},
    {PIPE, FUTEX, CLAIM_NOTHING, 0},      {EVENTFD, FUTEX, CLAIM_NOTHING, 0},
};

const struct group blocking_group = {
    .name = "blocking",
    .about = "64 B to a process that sleeps: half of a round trip",
    .contenders = ping_pong_contenders,
    .contender_count = ARRAY_SIZE(ping_pong_contenders),
    .claims = ping_pong_claims,
    .claim_count = ARRAY_SIZE(ping_pong_claims),
};

const struct group paced_group = {
    .name = "paced",
    .about = "64 B to a process that sleeps: one way, 1000 a second",
    .contenders = paced_contenders,
    .contender_count = ARRAY_SIZE(paced_contenders),
    .claims = paced_claims,
    .claim_count = ARRAY_SIZE(paced_claims),
};
