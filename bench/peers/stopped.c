/* SPDX-License-Identifier: BSD-3-Clause */
#include "stopped.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ticks.h"
#include "ends.h"
#include "link.h"

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

void stopped_run(const struct contender *c, int sender_cpu, int receiver_cpu, struct stopped *out)
{
    const struct setting setting = {.mode = MODE_BLOCK,
                                    .size = SIZE,
                                    .rate_hz = RATE_HZ,
                                    .senders = 1,
                                    .receivers = 1,
                                    .hops = 1,
                                    .touch = true};
    struct scene *s;
    pid_t receiver, sender;
    struct link *link;

    *out = (struct stopped){0};
    if (c->threads || !(c->modes & MODE_BLOCK) || (c->max_size && c->max_size < SIZE)) {
        snprintf(out->why, sizeof(out->why), "%s",
                 c->modes & MODE_BLOCK ? "has no process of its own that could be stopped"
                                       : "does not wait in the call that receives");
        return;
    }
    fflush(NULL);
    link = link_create(c, &setting, out->why);
    if (!link)
        return;
    s = ring_map(sizeof(*s));
    if (s) {
        receiver = start((struct end){.c = c, .s = &setting, .in = link, .cpu = receiver_cpu}, s,
                         receive_on);
        sender =
            start((struct end){.c = c, .s = &setting, .out = link, .cpu = sender_cpu}, s, send_on);
        act(receiver, s, out);
        __atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
        end_process(sender);
        end_process(receiver);
        munmap(s, sizeof(*s));
    }
    link_destroy(link);
}
