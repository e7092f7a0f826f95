/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ends.h"
#include "link.h"
#include "peers.h"
#include "ticks.h"

#define ENDS_MAX (SENDERS_MAX + RECEIVERS_MAX + RUN_HOPS_MAX)
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
    struct link *links[LINKS_MAX];
    unsigned link_count;
    struct end ends[ENDS_MAX];
    unsigned end_count;
    pid_t pids[ENDS_MAX];
    unsigned pid_count;
};

static int cpus[2] = {-1, -1};

void run_cpus(int sender, int receiver)
{
    cpus[SENDER] = sender;
    cpus[RECEIVER] = receiver;
}

struct setting setting_complete(struct setting s)
{
    s.mode = s.mode ? s.mode : MODE_BLOCK;
    s.size = s.size ? s.size : SETTING_SIZE;
    s.rate_hz = s.rate_hz < 0 ? 0 : s.rate_hz > 0 ? s.rate_hz : 1000;
    s.senders = s.senders ? s.senders : 1;
    s.receivers = s.receivers ? s.receivers : 1;
    s.hops = s.hops ? s.hops : 1;
    s.seconds = s.seconds > 0 ? s.seconds : 0.2;
    return s;
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

static void add_end(struct running *r, int cpu, void (*live)(struct end *), struct link *in,
                    struct link *out, unsigned index)
{
    r->ends[r->end_count++] = (struct end){.c = r->c,
                                           .s = r->s,
                                           .board = r->board,
                                           .in = in,
                                           .out = out,
                                           .index = index,
                                           .cpu = cpu,
                                           .live = live};
}

/* Senders and receivers of one link. */
static void make_star(struct running *r)
{
    unsigned i;

    for (i = 0; i < r->s->receivers; i++)
        add_end(r, cpus[RECEIVER], live_receive, r->links[0], NULL, i);
    for (i = 0; i < r->s->senders; i++)
        add_end(r, cpus[SENDER], live_send, NULL, r->links[0], i);
}

/* A row of links; the last one ends in a receiver, or, in a ring, where the first one began. */
static void make_chain(struct running *r, bool ring)
{
    struct link *last = r->links[r->link_count - 1];
    unsigned i;

    if (!ring)
        add_end(r, cpus[r->link_count % 2 ? RECEIVER : SENDER], live_receive, last, NULL, 0);
    for (i = r->link_count - 1; i-- > 0;)
        add_end(r, cpus[i % 2 ? SENDER : RECEIVER], live_forward, r->links[i], r->links[i + 1], 0);
    add_end(r, cpus[SENDER], ring ? live_ping : live_send, ring ? last : NULL, r->links[0], 0);
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
        if (!told && (now > limit || r->board->failed || bench.interrupted ||
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

static bool prepare(struct running *r, struct outcome *out)
{
    bool ring = r->s->rate_hz <= 0;
    unsigned links = ring ? 2 : r->s->hops;
    uint64_t count = message_count(r->s);

    r->board_bytes = board_size(r->s, count);
    r->board = shared_map(r->board_bytes);
    if (!r->board) {
        snprintf(out->why, sizeof(out->why), "no memory for the results");
        return false;
    }
    r->board->count = count;
    r->board->senders = r->s->senders;
    for (; r->link_count < links; r->link_count++)
        if (!(r->links[r->link_count] = link_create(r->c, r->s, out->why)))
            return false;
    if (links > 1)
        make_chain(r, ring);
    else
        make_star(r);
    return true;
}

void run(const struct contender *c, const struct setting *s, struct outcome *out)
{
    struct running r = {.c = c, .s = s};

    out->why[0] = '\0';
    fflush(NULL);
    if (prepare(&r, out)) {
        start(&r);
        watch(&r, out);
        kill_all(&r);
        if (!out->why[0])
            collect(&r, out);
    }
    while (r.link_count > 0)
        link_destroy(r.links[--r.link_count]);
    if (r.board)
        munmap(r.board, r.board_bytes);
}
