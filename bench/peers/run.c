/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../ticks.h"
#include "ends.h"

#define ENDS_MAX (RUN_SENDERS_MAX + RUN_RECEIVERS_MAX + RUN_HOPS_MAX)
#define LINKS_MAX RUN_HOPS_MAX
#define WARM_UP_S 10
#define GRACE_S 5
#define TAIL_MS 300 /* for what is still on its way */
#define LOOK_NS 2000000l
#define MOST_MESSAGES 2000000.0
#define ROUND_TRIPS_PER_S 5000.0 /* so many fill a second, or take longer */
#define SPINS_PER_S 100000.0

struct running {
    const struct contender *c;
    const struct setting *s;
    struct board *board;
    size_t board_bytes;
    void *links[LINKS_MAX];
    unsigned link_count;
    struct end ends[ENDS_MAX];
    unsigned end_count;
    pid_t pids[ENDS_MAX];
    unsigned pid_count;
};

volatile sig_atomic_t run_interrupted;

static int cpus[2] = {-1, -1};
static unsigned next_id;

void run_cpus(int sender, int receiver)
{
    cpus[SENDER] = sender;
    cpus[RECEIVER] = receiver;
}

static bool may_be_realtime(void)
{
    struct rlimit limit;

    return geteuid() == 0 ||
           (getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur >= RUN_FIFO_PRIORITY);
}

const char *run_possible(const struct contender *c, const struct setting *s)
{
    bool many_links = s->hops > 1 || s->rate_hz <= 0;

    if (!(c->modes & s->mode))
        return "has no such way to wait";
    if (c->max_size && s->size > c->max_size)
        return "messages are too large for it";
    if (c->max_senders && s->senders > c->max_senders)
        return "too many senders for it";
    if (c->max_receivers && s->receivers > c->max_receivers)
        return "too many receivers for it";
    if (s->mode == MODE_SPIN && cpus[RECEIVER] < 0)
        return "could not be measured: one processor";
    if (s->fifo && !may_be_realtime())
        return "you may not have real-time priority";
    return c->threads && many_links && s->hops > 2 ? "is made for one process" : NULL;
}

static uint64_t message_count(const struct setting *s)
{
    double trips = s->mode == MODE_SPIN ? SPINS_PER_S : ROUND_TRIPS_PER_S;
    double n = (s->rate_hz > 0 ? s->rate_hz : trips) * s->seconds;

    /* Round trips of large messages take long. */
    if (s->rate_hz <= 0 && s->size > 4096)
        n = n * 4096 / (double)s->size + 20;
    return n < 10 ? 10 : n > MOST_MESSAGES ? (uint64_t)MOST_MESSAGES : (uint64_t)n;
}

static bool make_link(struct running *r, const char *dir, unsigned senders, unsigned receivers,
                      struct outcome *out)
{
    struct job job = {.mode = r->s->mode,
                      .size = r->s->size,
                      .senders = senders,
                      .receivers = receivers,
                      .id = next_id++ % 1000,
                      .dir = dir,
                      .why = out->why,
                      .why_size = sizeof(out->why)};
    void *link;

    errno = 0;
    link = r->c->setup(&job);
    if (!link) {
        if (!out->why[0])
            snprintf(out->why, sizeof(out->why), "cannot be set up: %s", strerror(errno));
        return false;
    }
    r->links[r->link_count++] = link;
    return true;
}

static struct end *add_end(struct running *r, void (*live)(struct end *), int cpu)
{
    struct end *e = &r->ends[r->end_count++];

    *e = (struct end){.c = r->c, .s = r->s, .board = r->board, .live = live, .cpu = cpu};
    return e;
}

/* Senders and receivers of one link. */
static bool make_star(struct running *r, const char *dir, struct outcome *out)
{
    unsigned i;

    if (!make_link(r, dir, r->s->senders, r->s->receivers, out))
        return false;
    for (i = 0; i < r->s->receivers; i++) {
        struct end *e = add_end(r, live_receive, cpus[RECEIVER]);

        e->in = r->links[0];
        e->in_index = i;
    }
    for (i = 0; i < r->s->senders; i++) {
        struct end *e = add_end(r, live_send, cpus[SENDER]);

        e->out = r->links[0];
        e->out_index = i;
    }
    return true;
}

/* A row of links; the last one ends in a receiver, or where the first one began. */
static bool make_chain(struct running *r, const char *dir, bool ring, struct outcome *out)
{
    unsigned i, links = ring ? 2 : r->s->hops;

    for (i = 0; i < links; i++)
        if (!make_link(r, dir, 1, 1, out))
            return false;
    for (i = links; i-- > 0;) {
        bool last = i + 1 == links;
        struct end *e;

        if (ring && last)
            continue;
        e = add_end(r, last ? live_receive : live_forward, cpus[i % 2 ? SENDER : RECEIVER]);
        e->in = r->links[i];
        e->out = last ? NULL : r->links[i + 1];
    }
    struct end *first = add_end(r, ring ? live_ping : live_send, cpus[SENDER]);

    first->out = r->links[0];
    first->in = ring ? r->links[links - 1] : NULL;
    return true;
}

static void *thread_main(void *arg)
{
    end_run(arg);
    return NULL;
}

static void child(struct running *r, unsigned first, unsigned n)
{
    pthread_t threads[ENDS_MAX];
    unsigned i;

    if (n == 1) {
        end_run(&r->ends[first]);
        _exit(0);
    }
    for (i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, thread_main, &r->ends[first + i]) != 0)
            _exit(1);
    for (i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

static void start(struct running *r)
{
    unsigned i, step = r->c->threads ? r->end_count : 1;

    for (i = 0; i < r->end_count; i += step) {
        pid_t pid = fork();

        if (pid == 0)
            child(r, i, step);
        if (pid > 0)
            r->pids[r->pid_count++] = pid;
        else
            r->board->failed++;
    }
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
}

/* Forget the children that have ended. Returns how many are left. */
static unsigned reap(struct running *r)
{
    unsigned i, left = 0;

    for (i = 0; i < r->pid_count; i++) {
        int status;

        if (r->pids[i] > 0 && waitpid(r->pids[i], &status, WNOHANG) == r->pids[i]) {
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                r->board->failed++;
            r->pids[i] = 0;
        }
        left += r->pids[i] > 0;
    }
    return left;
}

static void kill_all(struct running *r)
{
    unsigned i;

    for (i = 0; i < r->pid_count; i++) {
        if (r->pids[i] <= 0)
            continue;
        kill(r->pids[i], SIGKILL);
        waitpid(r->pids[i], NULL, 0);
    }
}

static uint64_t seconds(double s)
{
    return (uint64_t)(s * 1e9);
}

/* Let them run, and end them when it is time. */
static void watch(struct running *r, struct outcome *out)
{
    unsigned starters = r->s->rate_hz > 0 ? r->s->senders : 1;
    uint64_t begin = clock_ns(), limit = begin + seconds(WARM_UP_S), told = 0;
    bool warm = false;

    while (reap(r) > 0) {
        uint64_t now = clock_ns();

        if (!warm && __atomic_load_n(&r->board->warm, __ATOMIC_ACQUIRE) >= starters) {
            warm = true;
            limit = now + seconds(4 * r->s->seconds + 2 * GRACE_S);
        }
        if (!told && (now > limit || r->board->failed || run_interrupted ||
                      __atomic_load_n(&r->board->done, __ATOMIC_ACQUIRE) >= starters)) {
            told = now + TAIL_MS * 1000000ull;
        }
        if (told && now > told)
            __atomic_store_n(&r->board->stop, 1, __ATOMIC_RELEASE);
        if (told && now > told + seconds(GRACE_S))
            break;
        pause_briefly();
    }
    warm = __atomic_load_n(&r->board->warm, __ATOMIC_ACQUIRE) >= starters;
    if (!warm)
        snprintf(out->why, sizeof(out->why),
                 r->board->failed ? "an end failed to open or to send"
                                  : "the ends did not find each other");
    else if (r->board->failed)
        snprintf(out->why, sizeof(out->why), "an end failed while it ran");
}

static void collect(const struct running *r, struct outcome *out)
{
    unsigned i, receivers = r->s->rate_hz > 0 ? r->s->receivers : 1;
    uint64_t k, sent = 0;

    for (i = 0; i < r->s->senders; i++)
        sent += r->board->sent[i];
    out->sent += sent * receivers;
    for (i = 0; i < receivers; i++) {
        const struct tally *t = &r->board->tally[i];
        const uint64_t *times = &r->board->numbers[(1 + i) * r->s->senders * r->board->count];

        out->lost += sent - t->distinct;
        out->reordered += t->reordered;
        out->damaged += t->damaged;
        for (k = 0; k < t->n; k++)
            samples_add(&out->ns, (double)times[k]);
    }
}

static bool prepare(struct running *r, const char *dir, struct outcome *out)
{
    uint64_t count = message_count(r->s);

    r->board_bytes = board_size(r->s, count);
    r->board = mmap(NULL, r->board_bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (r->board == MAP_FAILED) {
        snprintf(out->why, sizeof(out->why), "no memory for the results");
        return false;
    }
    r->board->count = count;
    r->board->senders = r->s->senders;
    if (r->s->rate_hz <= 0)
        return make_chain(r, dir, true, out);
    if (r->s->hops > 1)
        return make_chain(r, dir, false, out);
    return make_star(r, dir, out);
}

void run(const struct contender *c, const struct setting *s, const char *dir, struct outcome *out)
{
    struct running r = {.c = c, .s = s};

    out->why[0] = '\0';
    fflush(NULL);
    if (prepare(&r, dir, out)) {
        start(&r);
        watch(&r, out);
        kill_all(&r);
        if (!out->why[0])
            collect(&r, out);
    }
    while (r.link_count > 0)
        c->finish(r.links[--r.link_count]);
    if (r.board && r.board != MAP_FAILED)
        munmap(r.board, r.board_bytes);
}
