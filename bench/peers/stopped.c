/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stopped.c - what a stopped receiver does to a sender, and finds when it goes on
 *
 * A sender posts 1 KiB ten thousand times a second. The receiver is stopped for
 * a second and continued.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ends.h"
#include "link.h"
#include "peers.h"
#include "ticks.h"

#define SIZE 1024u
#define RATE_HZ 10000.0
#define PERIOD_NS 100000u
#define BEFORE_NS 200000000ull
#define PAUSE_NS 1000000000ull
#define AFTER_NS 800000000ull
#define WARM_UP_NS 10000000000ull
#define FRESH_NS 5000000ull    /* a message this young is as good as the newest */
#define BLOCKED_NS 50000000ull /* a send that takes so long waited for the receiver */
#define MESSAGES 40000u
#define PATIENCE_MS 50

struct stopped {
    bool blocks; /* the sender stood still */
    double longest_send_ms;
    double first_age_ms;    /* of the first message that is received afterwards */
    const char *first;      /* "newest", "oldest" or "between" of those sent meanwhile */
    double newest_after_ms; /* from going on until a fresh message is received; < 0: never */
    uint64_t lost;
    char why[WHY_SIZE];
};

struct arrival {
    uint64_t number, at;
};

struct scene {
    uint32_t heard APART, stop;
    uint64_t sent APART, longest_ns;
    uint64_t received APART;
    uint64_t stamps[MESSAGES];
    struct arrival arrivals[MESSAGES];
};

static void send_on(struct end *e, struct scene *s)
{
    struct tag tag = {.warm_up = true};
    uint64_t next;

    while (!__atomic_load_n(&s->heard, __ATOMIC_ACQUIRE) && !s->stop) {
        end_put(e, &tag);
        sleep_until(clock_ns() + 10 * PERIOD_NS);
    }
    tag.warm_up = false;
    next = clock_ns();
    while (tag.number < MESSAGES && !__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)) {
        uint64_t took;

        sleep_until(next += PERIOD_NS);
        s->stamps[tag.number] = clock_ns();
        if (end_put(e, &tag) < 0)
            return;
        took = clock_ns() - s->stamps[tag.number];
        if (took > s->longest_ns)
            s->longest_ns = took;
        if (clock_ns() > next + BLOCKED_NS)
            next = clock_ns(); /* what was held up is not sent in a burst */
        __atomic_store_n(&s->sent, ++tag.number, __ATOMIC_RELEASE);
    }
}

static void receive_on(struct end *e, struct scene *s)
{
    while (!__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)) {
        struct tag tag;

        if (end_get(e, &tag, PATIENCE_MS) != GOT)
            continue;
        if (tag.warm_up)
            __atomic_store_n(&s->heard, 1, __ATOMIC_RELEASE);
        else if (s->received < MESSAGES) {
            s->arrivals[s->received] = (struct arrival){tag.number, clock_ns()};
            __atomic_store_n(&s->received, s->received + 1, __ATOMIC_RELEASE);
        }
    }
}

static pid_t start(struct end e, struct scene *s, void (*act)(struct end *, struct scene *))
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    if (end_begin(&e)) {
        act(&e, s);
        end_finish(&e);
    }
    _exit(0);
}

static void end_process(pid_t pid)
{
    int i;

    for (i = 0; i < 100; i++) {
        if (pid <= 0 || waitpid(pid, NULL, WNOHANG) == pid)
            return;
        sleep_until(clock_ns() + 10000000u);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void judge(const struct scene *s, uint64_t received_before, uint64_t resumed,
                  struct stopped *out)
{
    uint64_t i, last = received_before ? s->arrivals[received_before - 1].number : 0;
    uint64_t expected = 0;

    out->longest_send_ms = (double)s->longest_ns / 1e6;
    out->blocks = s->longest_ns > BLOCKED_NS;
    out->newest_after_ms = -1;
    for (i = 0; i < s->received; i++) {
        const struct arrival *a = &s->arrivals[i];
        uint64_t age = a->at - s->stamps[a->number];

        if (a->number > expected)
            out->lost += a->number - expected;
        if (a->number >= expected)
            expected = a->number + 1;
        /* One message may have been on its way out of the call when the signal came. */
        if (i < received_before ||
            (i == received_before && a->number == last + 1 && s->received > i + 1 &&
             a->at < resumed + PERIOD_NS && s->arrivals[i + 1].number > last + 2))
            continue;
        if (!out->first) {
            out->first_age_ms = (double)age / 1e6;
            out->first = age < FRESH_NS ? "newest" : a->number <= last + 2 ? "oldest" : "between";
        }
        if (age < FRESH_NS && out->newest_after_ms < 0)
            out->newest_after_ms = (double)(a->at - resumed) / 1e6;
    }
    if (!out->first)
        snprintf(out->why, sizeof(out->why), "nothing came after the receiver went on");
}

static void act(pid_t receiver, struct scene *s, struct stopped *out)
{
    uint64_t received, resumed, limit = clock_ns() + WARM_UP_NS;

    while (__atomic_load_n(&s->sent, __ATOMIC_ACQUIRE) == 0) {
        if (clock_ns() > limit) {
            snprintf(out->why, sizeof(out->why), "the ends did not find each other");
            return;
        }
        sleep_until(clock_ns() + PERIOD_NS);
    }
    sleep_until(clock_ns() + BEFORE_NS);
    kill(receiver, SIGSTOP);
    sleep_until(clock_ns() + PAUSE_NS);
    received = __atomic_load_n(&s->received, __ATOMIC_ACQUIRE);
    resumed = clock_ns();
    kill(receiver, SIGCONT);
    sleep_until(clock_ns() + AFTER_NS);
    __atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
    judge(s, received, resumed, out);
}

static void run_stopped(const struct contender *c, struct stopped *out)
{
    const struct setting setting =
        setting_complete((struct setting){.size = SIZE, .rate_hz = RATE_HZ});
    struct scene *s = shared_map(sizeof(*s));
    struct link *link = link_create(c, &setting, out->why);
    struct end in = {.c = c, .s = &setting, .in = link, .cpu = bench.machine.peer_cpu};
    struct end send = {.c = c, .s = &setting, .out = link, .cpu = bench.machine.main_cpu};
    pid_t receiver, sender;

    fflush(NULL);
    if (link && s) {
        receiver = start(in, s, receive_on);
        sender = start(send, s, send_on);
        act(receiver, s, out);
        __atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
        end_process(sender);
        end_process(receiver);
    }
    if (link)
        link_destroy(link);
    if (s)
        munmap(s, sizeof(*s));
}

static struct stopped *found; /* by contender */

static void stopped_print(void)
{
    unsigned i;

    printf("\nstopped: the sender meanwhile; 1 KiB, 10 kHz\n  %-22s %-14s %12s %-9s %14s %8s\n", "",
           "sender", "longest send", "first is", "newest after", "lost");
    for (i = 0; i < contenders_here.count; i++) {
        const struct stopped *s = &found[i];

        if (!s->first)
            continue;
        printf("  %-22s %-14s %9.1f ms %-9s", contenders_here.entry[i].c->name,
               s->blocks ? "stands still" : "goes on", s->longest_send_ms, s->first);
        if (s->newest_after_ms < 0)
            printf(" %14s", "never");
        else
            printf(" %11.1f ms", s->newest_after_ms);
        printf(" %8llu\n", (unsigned long long)s->lost);
    }
}

void stopped_measure(const struct group *g)
{
    unsigned i;

    found = calloc(contenders_here.count, sizeof(*found));
    MUST(found != NULL);
    for (i = 0; i < contenders_here.count && !bench.interrupted; i++) {
        const struct entry *e = &contenders_here.entry[i];
        struct outcome once = {0};

        if (e->left_out || e->c->kind == KIND_FLOOR)
            continue;
        progress("stopped: %s", e->c->name);
        if (!(e->c->modes & MODE_BLOCK))
            snprintf(found[i].why, WHY_SIZE, "does not wait in the call that receives");
        else if (e->c->threads)
            snprintf(found[i].why, WHY_SIZE, "has no process of its own that could be stopped");
        else
            run_stopped(e->c, &found[i]);
        snprintf(once.why, sizeof(once.why), "%s", found[i].why);
        if (found[i].first)
            samples_add(&once.ns, found[i].first_age_ms);
        row_add(row_of(g, e->c->name, kind_names[e->c->kind], 0), 0, &once);
    }
    stopped_print();
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
