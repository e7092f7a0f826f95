/* SPDX-License-Identifier: BSD-3-Clause */
#include "link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "peer.h"
#include "ticks.h"

#define WARM_UP 20u

struct job {
    const struct link_ops *ops;
    void *link;
    unsigned count;
    double *latency; /* shared: what a paced peer measured */
};

static void attach(const struct job *job, int side)
{
    if (job->ops->attach)
        job->ops->attach(job->link, side);
}

static void detach(const struct job *job, int side)
{
    if (job->ops->detach)
        job->ops->detach(job->link, side);
}

static void echo(void *arg)
{
    const struct job *job = arg;
    struct message m;
    unsigned i;

    attach(job, 1);
    peer_ready();
    for (i = 0; i < job->count; i++) {
        job->ops->receive(job->link, 1, &m);
        job->ops->send(job->link, 1, &m);
    }
    detach(job, 1);
}

static void round_trips(const struct job *job, unsigned n)
{
    struct message m = {0};

    while (n--) {
        job->ops->send(job->link, 0, &m);
        job->ops->receive(job->link, 0, &m);
    }
}

void link_ping_pong(const struct link_ops *ops, void *link, unsigned count, unsigned group,
                    struct samples *out)
{
    unsigned groups = count / group, i;
    struct job job = {.ops = ops, .link = link, .count = WARM_UP + groups * group};
    pid_t peer;

    attach(&job, 0);
    peer = peer_start(echo, &job);
    round_trips(&job, WARM_UP);
    for (i = 0; i < groups; i++) {
        uint64_t start = ticks();

        round_trips(&job, group);
        samples_add(out, ticks_to_ns(start, ticks()) / (2 * group));
    }
    peer_join(peer);
    detach(&job, 0);
}

static void arrive(void *arg)
{
    const struct job *job = arg;
    struct message m;

    attach(job, 1);
    peer_ready();
    do {
        job->ops->receive(job->link, 1, &m);
        if (job->latency[m.number] == 0)
            job->latency[m.number] = (double)clock_ns() - (double)m.stamp;
    } while (m.number + 1 < job->count);
    detach(job, 1);
}

static void add_ns(struct timespec *t, long ns)
{
    t->tv_nsec += ns;
    if (t->tv_nsec >= 1000000000) {
        t->tv_nsec -= 1000000000;
        t->tv_sec++;
    }
}

void link_paced(const struct link_ops *ops, void *link, unsigned count, long period_ns,
                struct samples *out)
{
    struct job job = {.ops = ops, .link = link, .count = WARM_UP + count};
    size_t size = job.count * sizeof(double);
    struct message m = {0};
    struct timespec next;
    unsigned i;
    pid_t peer;

    job.latency = shared_alloc(size);
    attach(&job, 0);
    peer = peer_start(arrive, &job);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (i = 0; i < job.count; i++) {
        add_ns(&next, period_ns);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        m.number = i;
        m.stamp = clock_ns();
        ops->send(link, 0, &m);
    }
    peer_join(peer);
    detach(&job, 0);
    for (i = WARM_UP; i < job.count; i++)
        if (job.latency[i] > 0)
            samples_add(out, job.latency[i]);
    shared_free(job.latency, size);
}

struct channel_link {
    char name[2][32]; /* the channel that each side sends to */
    uint64_t spin_ns;
    ach_channel_t out, in;
    int epoll; /* of in's descriptor */
};

struct channel_link *channel_link_create(const char *name, uint64_t spin_ns)
{
    struct channel_link *l = calloc(1, sizeof(*l));
    int side;

    MUST(l != NULL);
    l->spin_ns = spin_ns;
    for (side = 0; side < 2; side++) {
        snprintf(l->name[side], sizeof(l->name[side]), "%s-%d", name, side);
        channel_make(l->name[side], ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, false);
    }
    return l;
}

void channel_link_destroy(void *link)
{
    struct channel_link *l = link;

    ach_unlink(l->name[0]);
    ach_unlink(l->name[1]);
    free(l);
}

static void channel_attach(void *link, int side)
{
    struct channel_link *l = link;

    channel_open(&l->out, l->name[side], false, l->spin_ns);
    channel_open(&l->in, l->name[!side], false, l->spin_ns);
}

static void channel_detach(void *link, int side)
{
    struct channel_link *l = link;

    (void)side;
    ach_close(&l->out);
    ach_close(&l->in);
}

static void channel_send(void *link, int side, const struct message *m)
{
    struct channel_link *l = link;

    (void)side;
    MUST_ACH(ach_put(&l->out, m, sizeof(*m)));
}

static void channel_wait(void *link, int side, struct message *m)
{
    struct channel_link *l = link;
    size_t size;

    (void)side;
    MUST_ACH(ach_get(&l->in, m, sizeof(*m), &size, NULL, ACH_O_WAIT));
}

static void channel_poll(void *link, int side, struct message *m)
{
    struct channel_link *l = link;
    enum ach_status r;
    size_t size;

    (void)side;
    while ((r = ach_get(&l->in, m, sizeof(*m), &size, NULL, 0)) == ACH_EAGAIN)
        relax();
    MUST_ACH(r);
}

/* Sides are processes of one thread each: nobody else reads the environment. */
static void epoll_attach_by(struct channel_link *l, int side, const char *mechanism)
{
    struct epoll_event e = {.events = EPOLLIN};
    int fd;

    channel_attach(l, side);
    if (mechanism)
        MUST_SYS(setenv("ACH_FD", mechanism, 1) == 0);
    MUST_ACH(ach_channel_fd(&l->in, &fd));
    if (mechanism)
        unsetenv("ACH_FD");
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    MUST_SYS(l->epoll >= 0 && epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) == 0);
}

static void epoll_attach(void *link, int side)
{
    epoll_attach_by(link, side, NULL);
}

static void helper_attach(void *link, int side)
{
    epoll_attach_by(link, side, "thread");
}

static void epoll_detach(void *link, int side)
{
    struct channel_link *l = link;

    close(l->epoll);
    channel_detach(l, side);
}

/*
 * As the manual says: wait, then get until there is nothing. The kernel interrupts
 * epoll_wait once for each ring that this process has closed in an earlier turn.
 */
static void channel_epoll(void *link, int side, struct message *m)
{
    struct channel_link *l = link;
    struct epoll_event e;
    enum ach_status r;
    bool got = false;
    size_t size;

    (void)side;
    while (!got) {
        MUST_SYS(epoll_wait(l->epoll, &e, 1, -1) == 1 || errno == EINTR);
        while ((r = ach_get(&l->in, m, sizeof(*m), &size, NULL, 0)) == ACH_OK ||
               r == ACH_MISSED_FRAME)
            got = true;
        MUST(r == ACH_EAGAIN);
    }
}

const struct link_ops channel_link_wait = {channel_attach, channel_send, channel_wait,
                                           channel_detach};
const struct link_ops channel_link_poll = {channel_attach, channel_send, channel_poll,
                                           channel_detach};
const struct link_ops channel_link_epoll = {epoll_attach, channel_send, channel_epoll,
                                            epoll_detach};
const struct link_ops channel_link_helper = {helper_attach, channel_send, channel_epoll,
                                             epoll_detach};
