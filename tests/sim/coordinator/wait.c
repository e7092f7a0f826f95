/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - waits of libach with timeouts: each takes exactly its timeout, in virtual time */
#include <ach.h>
#include <poll.h>
#include <time.h>

#include "actor.h"

#define SLACK (20 * MS) /* tolerance for computing on the slowest machine */

static ach_channel_t ticks, silence;

/* Fail unless the time since begin is `wanted`, plus at most SLACK for computing. */
static void took(const char *what, int64_t begin, int64_t wanted)
{
    int64_t t = actor_now() - begin;

    if (t < wanted || t > wanted + SLACK)
        actor_fail("%s took %lld ns, not %lld", what, (long long)t, (long long)wanted);
}

static void get_times_out(void)
{
    const struct timespec relative = {0, 50 * MS};
    int64_t begin = actor_now(), end = begin + 130 * MS;
    const struct timespec absolute = {end / 1000000000, end % 1000000000};
    char buf[8];
    size_t size;

    if (ach_get(&silence, buf, sizeof(buf), &size, &relative, ACH_O_WAIT | ACH_O_RELTIME) !=
        ACH_TIMEOUT)
        actor_fail("there is something in the silence");
    took("a get", begin, 50 * MS);
    if (ach_get(&silence, buf, sizeof(buf), &size, &absolute, ACH_O_WAIT) != ACH_TIMEOUT)
        actor_fail("there is something in the silence");
    took("a get with a point in time", begin, 130 * MS);
}

static void set_times_out(void)
{
    const struct timespec t = {0, 70 * MS};
    ach_wait_item_t items[] = {{.chan = &silence}, {.chan = &silence}};
    int64_t begin = actor_now();

    if (ach_wait(items, 2, &t, ACH_O_RELTIME) != ACH_TIMEOUT)
        actor_fail("there is something in the silence");
    took("ach_wait", begin, 70 * MS);
}

static void poll_times_out(void)
{
    struct pollfd p = {.events = POLLIN};
    int64_t begin = actor_now();

    if (ach_channel_fd(&silence, &p.fd) != ACH_OK)
        actor_fail("no descriptor: %s", ach_errstr());
    if (poll(&p, 1, 90) != 0)
        actor_fail("there is something in the silence");
    took("poll", begin, 90 * MS);
}

/* Wait for the next tick. how: 0 ach_wait, 1 poll, 2 ach_get. */
static void wait_for_tick(int how)
{
    ach_wait_item_t items[] = {{.chan = &silence}, {.chan = &ticks}};
    struct pollfd p = {.events = POLLIN};
    char buf[16];
    size_t size;

    ach_flush(&ticks);
    if (how == 0 && ach_wait(items, 2, NULL, 0) != ACH_OK)
        actor_fail("ach_wait: %s", ach_errstr());
    if (how == 1 && (ach_channel_fd(&ticks, &p.fd) != ACH_OK || poll(&p, 1, -1) != 1))
        actor_fail("poll finds nothing");
    if (ach_get(&ticks, buf, sizeof(buf), &size, NULL, how == 2 ? ACH_O_WAIT : 0) != ACH_OK)
        actor_fail("no tick, after %s", how == 0 ? "ach_wait" : how == 1 ? "poll" : "ach_get");
}

/* waits TICKS SILENCE: another controller puts into TICKS at multiples of 10 ms */
static int waits(char **a)
{
    int i;

    if (ach_open(&ticks, a[0], NULL) != ACH_OK || ach_open(&silence, a[1], NULL) != ACH_OK)
        actor_fail("cannot open: %s", ach_errstr());
    get_times_out();
    set_times_out();
    poll_times_out();
    for (i = 0; i < 30; i++) {
        wait_for_tick(i % 3);
        if (actor_now() % (10 * MS) > 9 * MS)
            actor_fail("a tick at %lld", (long long)actor_now());
    }
    return 0;
}

const struct part actor_wait[] = {{"waits", waits}, {NULL, NULL}};
