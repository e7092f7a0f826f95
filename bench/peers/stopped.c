/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stopped.c - what a stopped receiver does to a sender, and finds when it goes on
 *
 * A sender posts 1 KiB ten thousand times a second. The receiver is stopped for
 * a second and continued.
 */
#include <signal.h>
#include <stdlib.h>

#include "peers.h"
#include "ticks.h"

#define PERIOD_NS 100000u
#define BEFORE_NS 200000000ull
#define PAUSE_NS 1000000000ull
#define AFTER_NS 800000000ull
#define FRESH_NS 5000000ull /* a message this young is as good as the newest */

struct stopped {
    bool blocks; /* the sender stood still */
    double longest_send_ms;
    double first_age_ms;    /* of the first message that is received afterwards */
    const char *first;      /* "newest", "oldest" or "between" of those sent meanwhile */
    double newest_after_ms; /* from going on until a fresh message is received; < 0: never */
    uint64_t lost;
};

static struct stopped *found; /* by contender */

/* The number of the first message that came since then, and was not older than age; count: none. */
static uint64_t first_since(const struct run *r, uint64_t since, uint64_t age)
{
    const uint64_t *sent = run_time(r, 0, 0, 0), *came = run_time(r, 1, 0, 0);
    uint64_t i, first = r->count;

    for (i = 0; i < r->count; i++)
        if (came[i] >= since && came[i] - sent[i] < age &&
            (first == r->count || came[i] < came[first]))
            first = i;
    return first;
}

static void judge(const struct run *r, uint64_t resumed, struct stopped *out)
{
    const uint64_t *sent = run_time(r, 0, 0, 0), *came = run_time(r, 1, 0, 0);
    uint64_t first = first_since(r, resumed, UINT64_MAX), fresh = first_since(r, resumed, FRESH_NS);
    uint64_t i, next, last = 0, received = 0;

    if (first == r->count)
        return;
    for (i = 0; i < r->board->tally[0].expected[0]; i++) {
        received += came[i] != 0;
        if (came[i] && came[i] < resumed)
            last = i;
    }
    out->lost = i - received;
    /* One message may have been on its way out of the call when the signal came. */
    next = first_since(r, came[first] + 1, UINT64_MAX);
    if (first == last + 1 && came[first] < resumed + PERIOD_NS && next < r->count &&
        next > last + 2)
        first = next;
    out->longest_send_ms = (double)r->board->longest_ns / 1e6;
    out->blocks = r->board->longest_ns > BLOCKED_NS;
    out->first_age_ms = (double)(came[first] - sent[first]) / 1e6;
    out->first = first == fresh ? "newest" : first <= last + 2 ? "oldest" : "between";
    out->newest_after_ms = fresh < r->count ? (double)(came[fresh] - resumed) / 1e6 : -1;
}

/* The process of the receiver is the first. If it has ended, there is none to stop. */
void stopped_run(const struct run *r)
{
    uint64_t resumed;

    if (r->pids[0] <= 0)
        return;
    sleep_until(clock_ns() + BEFORE_NS);
    kill(r->pids[0], SIGSTOP);
    sleep_until(clock_ns() + PAUSE_NS);
    resumed = clock_ns();
    kill(r->pids[0], SIGCONT);
    sleep_until(clock_ns() + AFTER_NS);
    judge(r, resumed, r->s->pause);
}

/* In words, for the table. */
static void describe(const struct stopped *s, char *words)
{
    char newest[32] = "never";

    if (s->newest_after_ms >= 0)
        snprintf(newest, sizeof(newest), "after %.1f ms", s->newest_after_ms);
    snprintf(words, WHY_SIZE,
             "the sender %s, longest send %.1f ms; first is %s, newest %s; %llu lost",
             s->blocks ? "stands still" : "goes on", s->longest_send_ms, s->first, newest,
             (unsigned long long)s->lost);
}

void stopped_measure(const struct group *g, unsigned round)
{
    struct setting s =
        setting_complete((struct setting){.size = 1024, .rate_hz = 1e9 / PERIOD_NS, .seconds = 4});
    unsigned i;

    (void)round;
    found = calloc(contenders_here.count, sizeof(*found));
    MUST(found != NULL);
    for (i = 0; i < contenders_here.count && !bench.interrupted; i++) {
        const struct entry *e = &contenders_here.entry[i];
        struct outcome once = {0};

        s.pause = &found[i];
        if (e->left_out || e->c->kind == KIND_FLOOR || e->c->reach == REACH_NETWORK)
            continue;
        if (!(e->c->modes & MODE_BLOCK))
            snprintf(once.why, WHY_SIZE, "does not wait in the call that receives");
        else if (e->c->threads)
            snprintf(once.why, WHY_SIZE, "has no process of its own that could be stopped");
        else
            run(e->c, &s, &once, NULL);
        if (found[i].first) {
            samples_add(&once.ns, found[i].first_age_ms);
            describe(&found[i], once.why);
        } else if (!once.why[0]) {
            snprintf(once.why, WHY_SIZE, "nothing came after the receiver went on");
        }
        row_add(row_of(g, e->c->name, kind_names[e->c->kind], 0), 0, &once);
    }
}

void stopped_write(struct json *j)
{
    unsigned i;

    json_array(j, "stopped");
    for (i = 0; found && i < contenders_here.count; i++) {
        if (!found[i].first)
            continue;
        json_object(j, NULL);
        json_string(j, "contender", contenders_here.entry[i].c->name);
        json_string(j, "first", found[i].first);
        json_bool(j, "blocks", found[i].blocks);
        json_number(j, "longest_send_ms", found[i].longest_send_ms);
        json_number(j, "first_age_ms", found[i].first_age_ms);
        json_number(j, "newest_after_ms", found[i].newest_after_ms);
        json_uint(j, "lost", found[i].lost);
        json_end_object(j);
    }
    json_end_array(j);
}
