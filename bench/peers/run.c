/* SPDX-License-Identifier: BSD-3-Clause */
#include "peers.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ticks.h"

#define WARM_UP_S 10
#define GRACE_S 5
#define TAIL_S 0.3 /* for what is still on its way */
#define LOOK_NS 2000000u
#define MOST_MESSAGES 2000000.0
#define ROUND_TRIPS_PER_S 5000.0 /* so many fill a second, or take longer */
#define SPINS_PER_S 100000.0
#define LEARN 50u /* messages, from which a receiver learns the period */

struct setting setting_complete(struct setting s)
{
    s.mode = s.mode ? s.mode : MODE_BLOCK;
    s.size = s.size ? s.size : SIZE_USUAL;
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
           (getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur >= FIFO_PRIORITY);
}

const char *run_possible(const struct contender *c, const struct setting *s)
{
    if (!(c->modes & s->mode))
        return "has no such way to wait";
    if (c->max_size && s->size > c->max_size)
        return "messages are too large for it";
    if (c->max_senders && s->senders > c->max_senders)
        return "too many senders for it";
    if (s->mode == MODE_SPIN && bench.machine.peer_cpu < 0)
        return "could not be measured: one processor";
    if (s->fifo && !may_be_realtime())
        return "you may not have real-time priority";
    return c->threads && s->hops > 2 ? "is made for one process" : NULL;
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

static void add_end(struct run *r, enum side place, void (*live)(struct end *), struct link *in,
                    struct link *out, unsigned index)
{
    int cpu = place == SENDER ? bench.machine.main_cpu : bench.machine.peer_cpu;

    r->ends[r->end_count++] = (struct end){r, in, out, index, cpu, live};
}

/* A row of links. The last one ends in the receivers, or, in a ring, where the first one began.
   The ends of a link are on different cores. */
static void make_ends(struct run *r, bool ring)
{
    struct link *last = r->links[r->link_count - 1];
    unsigned i;

    for (i = 0; i < r->s->receivers && !ring; i++)
        add_end(r, r->link_count % 2 ? RECEIVER : SENDER, end_receive, last, NULL, i);
    for (i = r->link_count - 1; i-- > 0;)
        add_end(r, i % 2 ? SENDER : RECEIVER, end_forward, r->links[i], r->links[i + 1], 0);
    for (i = 0; i < r->s->senders; i++)
        add_end(r, SENDER, end_send, ring ? last : NULL, r->links[0], i);
}

static void *thread_main(void *arg)
{
    end_run(arg);
    return NULL;
}

/* The ends of a contender that lives in one process are its threads. */
static _Noreturn void child(struct end *ends, unsigned n)
{
    pthread_t threads[ENDS_MAX];
    unsigned i;

    for (i = 1; i < n; i++)
        if (pthread_create(&threads[i], NULL, thread_main, &ends[i]) != 0)
            _exit(1);
    end_run(&ends[0]);
    for (i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

static void fork_ends(struct run *r)
{
    unsigned i, step = r->c->threads ? r->end_count : 1;

    fflush(NULL);
    for (i = 0; i < r->end_count; i += step) {
        pid_t pid = fork();

        if (pid == 0)
            child(&r->ends[i], step);
        if (pid > 0)
            r->pids[r->pid_count++] = pid;
        else
            r->board->failed++;
    }
}

/* Set up and fork. False: why says why not. */
static bool run_start(struct run *r, const struct contender *c, const struct setting *s, char *why)
{
    bool ring = s->rate_hz <= 0;
    unsigned links = ring ? 2 : s->hops;

    *r = (struct run){.c = c, .s = s, .count = message_count(s), .first = s->periodic ? LEARN : 0};
    r->count += r->first;
    r->board = shared_alloc(sizeof(*r->board) +
                            (size_t)r->count * s->senders * (1 + s->receivers) * sizeof(uint64_t));
    for (; r->link_count < links; r->link_count++)
        if (!(r->links[r->link_count] = link_create(c, s, why)))
            return false;
    make_ends(r, ring);
    fork_ends(r);
    return true;
}

/* Forget the children that have ended. Returns how many are left. */
static unsigned reap(struct run *r)
{
    unsigned i, left = 0;
    int status;

    for (i = 0; i < r->pid_count; i++) {
        if (r->pids[i] > 0 && waitpid(r->pids[i], &status, WNOHANG) == r->pids[i]) {
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                r->board->failed++;
            r->pids[i] = 0;
        }
        left += r->pids[i] > 0;
    }
    return left;
}

/* Wait until a counter of the board says enough. False: no more, because the time is over, an end
   failed, all have ended, or the program shall end. */
static bool run_wait(struct run *r, const uint32_t *counter, uint32_t enough, double seconds)
{
    uint64_t limit = clock_ns() + (uint64_t)(seconds * 1e9);

    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < enough) {
        if (reap(r) == 0 || __atomic_load_n(&r->board->failed, __ATOMIC_ACQUIRE) > 0 ||
            bench.interrupted || clock_ns() > limit)
            return false;
        sleep_until(clock_ns() + LOOK_NS);
    }
    return true;
}

/* Tell all ends to stop, and end those that do not. */
static void run_stop(struct run *r)
{
    uint64_t limit = clock_ns() + GRACE_S * 1000000000ull;
    unsigned i;

    __atomic_store_n(&r->board->stop, 1, __ATOMIC_RELEASE);
    while (reap(r) > 0 && clock_ns() < limit)
        sleep_until(clock_ns() + LOOK_NS);
    for (i = 0; i < r->pid_count; i++)
        if (r->pids[i] > 0)
            peer_kill(r->pids[i]);
}

static void collect(const struct run *r, unsigned receiver, struct outcome *out)
{
    const struct tally *t = &r->board->tally[receiver];
    unsigned sender, way = r->s->rate_hz > 0 ? 1 : 2;
    uint64_t n;

    out->reordered += t->reordered;
    out->damaged += t->damaged;
    for (sender = 0; sender < r->s->senders; sender++) {
        if (r->board->sent[sender] > r->first)
            out->sent += r->board->sent[sender] - r->first;
        for (n = r->first; n < r->board->sent[sender]; n++) {
            uint64_t came = *run_time(r, 1 + receiver, sender, n);

            if (came)
                samples_add(&out->ns, (double)((came - *run_time(r, 0, sender, n)) / way));
            else
                out->lost++;
        }
    }
}

/* Seconds until all has been sent. */
static double patience(const struct setting *s)
{
    return (s->pattern == STEADY ? 4 : 8) * s->seconds + 2 * GRACE_S;
}

static void add_up(const struct run *r, struct cost *cost)
{
    uint64_t sent = 0;
    unsigned i;

    for (i = 0; i < r->s->senders; i++)
        sent += r->board->sent[i] - r->first;
    cost->cpu = r->board->tally[0].cpu;
    cost->put_ns = sent ? (double)r->board->put_ns / (double)sent : 0;
}

void run(const struct contender *c, const struct setting *s, struct outcome *out, struct cost *cost)
{
    unsigned i, held = held_count;
    const char *why = "";
    struct run r;

    out->why[0] = '\0';
    if (run_start(&r, c, s, out->why)) {
        bool warm = run_wait(&r, &r.board->warm, s->senders, WARM_UP_S);

        if (warm && s->pause)
            stopped_run(&r);
        else if (warm)
            run_wait(&r, &r.board->done, s->senders, patience(s));
        run_wait(&r, &r.board->stop, 1, TAIL_S);
        run_stop(&r);
        if (r.board->failed && !s->pause)
            why = r.board->warm < s->senders ? "an end failed to open or to send"
                                             : "an end failed while it ran";
        else if (r.board->warm < s->senders)
            why = "the ends did not find each other";
        snprintf(out->why, sizeof(out->why), "%s", why);
        for (i = 0; i < s->receivers && !why[0] && !s->pause; i++)
            collect(&r, i, out);
        if (s->periodic && !why[0])
            add_up(&r, cost);
    }
    while (r.link_count > 0)
        link_destroy(r.links[--r.link_count]);
    release_to(held);
}
