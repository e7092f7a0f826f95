/* SPDX-License-Identifier: BSD-3-Clause */
/* talk.c - controllers that send each other messages, and log when they receive them */
#include <ach.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "actor.h"

struct message {
    int64_t number;
    int64_t put; /* time just before the put */
};

static void open_or_fail(ach_channel_t *chan, const char *name)
{
    if (ach_open(chan, name, NULL) != ACH_OK)
        actor_fail("cannot open %s: %s", name, ach_errstr());
}

static bool get(ach_channel_t *chan, struct message *m, int64_t limit)
{
    const struct timespec t = {limit / 1000000000, limit % 1000000000};
    size_t size;
    ach_status_t r =
        ach_get(chan, m, sizeof(*m), &size, &t, limit ? ACH_O_WAIT | ACH_O_RELTIME : 0);

    if (r == ACH_OK && size == sizeof(*m))
        return true;
    if (r != ACH_TIMEOUT && r != ACH_STALE_FRAMES)
        actor_fail("got nothing: %s", ach_result_to_string(r));
    return false;
}

static void put(ach_channel_t *chan, int64_t number)
{
    struct message m = {number, actor_now()};

    if (ach_put(chan, &m, sizeof(m)) != ACH_OK)
        actor_fail("cannot put: %s", ach_errstr());
}

/*
 * caller OUT IN COUNT PERIOD_NS LOG [BUSY_NS [NUMBER]]: put a message in each cycle; get answers
 * at the beginning of the next cycle
 */
static int caller(char **a)
{
    int64_t i, n = actor_number(a, 2, 10), period = actor_number(a, 3, MS), next = 0;
    ach_channel_t out, in;
    FILE *log = actor_log(a[4]);
    struct message m;

    open_or_fail(&out, a[0]);
    open_or_fail(&in, a[1]);
    for (i = 0; i < n; i++) {
        int64_t begin = actor_now();

        while (get(&in, &m, 0))
            fprintf(log, "begin %lld saw %lld put %lld\n", (long long)begin, (long long)m.number,
                    (long long)m.put);
        actor_busy(actor_number(a, 5, 0));
        put(&out, i + actor_number(a, 6, 0));
        fprintf(log, "begin %lld done %lld\n", (long long)begin, (long long)actor_now());
        actor_sleep_until(next += period);
    }
    fclose(log);
    return 0;
}

/* answerer IN OUT COUNT LOG [BUSY_NS]: an answer to each message */
static int answerer(char **a)
{
    int64_t i, n = actor_number(a, 2, 10);
    ach_channel_t in, out;
    FILE *log = actor_log(a[3]);
    struct message m;

    open_or_fail(&in, a[0]);
    open_or_fail(&out, a[1]);
    for (i = 0; i < n; i++) {
        if (!get(&in, &m, 10000 * MS))
            actor_fail("nothing came");
        fprintf(log, "got %lld put %lld at %lld", (long long)m.number, (long long)m.put,
                (long long)actor_now());
        actor_busy(actor_number(a, 4, 0));
        put(&out, m.number);
        fprintf(log, " answered %lld\n", (long long)actor_now());
    }
    fclose(log);
    return 0;
}

static void read_byte(const char *fifo)
{
    int fd = open(fifo, O_RDONLY);
    char c;

    if (fd < 0 || read(fd, &c, 1) != 1)
        actor_fail("nothing comes from %s", fifo);
    close(fd);
}

/*
 * order CHANNEL COUNT PERIOD_NS NUMBER [FIFO]: several of these put their numbers at the same
 * times; one with a FIFO first reads a byte from it
 */
static int order(char **a)
{
    int64_t i, n = actor_number(a, 1, 10), next = 0;
    ach_channel_t chan;

    open_or_fail(&chan, a[0]);
    for (i = 0; i < n; i++) {
        actor_sleep_until(next += actor_number(a, 2, MS));
        if (a[3] && a[4])
            read_byte(a[4]);
        put(&chan, actor_number(a, 3, 0));
    }
    return 0;
}

/*
 * judge CHANNEL COUNT LOG [BUSY_NS]: fail if a message comes before it was put. causality.py
 * checks the order in the log. The time in a message is a lower bound: the writer reads the clock
 * before it puts.
 */
static int judge(char **a)
{
    int64_t i, n = actor_number(a, 1, 10);
    ach_channel_t chan;
    FILE *log = actor_log(a[2]);
    struct message m;

    open_or_fail(&chan, a[0]);
    for (i = 0; i < n; i++) {
        int64_t now;

        if (!get(&chan, &m, 10000 * MS))
            actor_fail("nothing came");
        now = actor_now();
        if (now < m.put)
            actor_fail("at %lld came what was put at %lld", (long long)now, (long long)m.put);
        fprintf(log, "%lld %lld %lld\n", (long long)m.number, (long long)m.put, (long long)now);
        actor_busy(actor_number(a, 3, 0));
    }
    fclose(log);
    return 0;
}

/* poller CHANNEL COUNT LOG: poll every 0.1 ms; fail if a message comes before it was put */
static int poller(char **a)
{
    int64_t i, n = actor_number(a, 1, 10), next = 0;
    ach_channel_t chan;
    FILE *log = actor_log(a[2]);
    struct message m;

    open_or_fail(&chan, a[0]);
    for (i = 0; i < n; i++) {
        while (get(&chan, &m, 0)) {
            int64_t now = actor_now();

            fprintf(log, "%lld %lld %lld\n", (long long)m.number, (long long)m.put, (long long)now);
            if (now < m.put)
                actor_fail("at %lld is what was put at %lld", (long long)now, (long long)m.put);
        }
        actor_sleep_until(next += MS / 10);
    }
    fclose(log);
    return 0;
}

const struct part actor_talk[] = {
    {"caller", caller}, {"answerer", answerer}, {"order", order},
    {"judge", judge},   {"poller", poller},     {NULL, NULL},
};
