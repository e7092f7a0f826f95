/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channels.c - put and get when one process has many channels open
 *
 * In turn: one operation on each, then again, so that every channel has left
 * the nearest caches before it comes again. By itself: again and again on one
 * of them, which shows what is due to the number alone. The files stay; each
 * round opens them anew, as many as a step takes.
 */
#include <stdlib.h>
#include <sys/resource.h>

#include "scaling.h"

#define CHANNELS_MAX 10000u
#define QUICK_CHANNELS 1000u
#define SPARE_FILES 64u
#define SPARE_CHANNELS 64u /* given back when the next one does not fit */
#define BATCH 1000u

struct many {
    struct user *user; /* one for each channel */
    unsigned open, next;
};

static const char *name_of(unsigned i)
{
    static char name[32];

    snprintf(name, sizeof(name), "many-%u", i);
    return name;
}

static void allow_files(unsigned n)
{
    struct rlimit limit = {n, n}, now;

    MUST_SYS(getrlimit(RLIMIT_NOFILE, &now) == 0);
    if (now.rlim_cur >= n || (now.rlim_max < n && setrlimit(RLIMIT_NOFILE, &limit) == 0))
        return;
    limit.rlim_max = now.rlim_max;
    limit.rlim_cur = now.rlim_max < n ? now.rlim_max : n;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static uint64_t channel_memory(void)
{
    ach_channel_t chan;
    ach_info_t info;

    channel_make("probe", ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, false);
    channel_open(&chan, "probe", false, 0);
    MUST_ACH(ach_channel_info(&chan, &info));
    ach_close(&chan);
    ach_unlink("probe");
    return info.memory;
}

/* Make and open as many as fit. Returns how many that is, closed again. */
static unsigned make_all(struct many *m)
{
    uint64_t room = shared_room() / channel_memory();
    unsigned i, made = 0, wanted = bench.quick ? QUICK_CHANNELS : CHANNELS_MAX;

    if (room < wanted) {
        note("Half of the free shared memory holds %u channels.", (unsigned)room);
        wanted = (unsigned)room;
    }
    for (; made < wanted; made++) {
        if (ach_create(name_of(made), ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, NULL) !=
            ACH_OK)
            break;
        if (ach_open(&m->user[made].chan, name_of(made), NULL) != ACH_OK) {
            ach_unlink(name_of(made));
            break;
        }
    }
    if (made < wanted)
        note("This process could open %u channels: %s.", made, ach_errstr());
    for (i = 0; i < made; i++)
        ach_close(&m->user[i].chan);
    if (made < wanted && made > SPARE_CHANNELS)
        made -= SPARE_CHANNELS;
    if (bench.quick)
        note("A quick run opens %u channels at most.", QUICK_CHANNELS);
    MUST(made > 0);
    return made;
}

static void open_until(struct many *m, unsigned n)
{
    for (; m->open < n; m->open++) {
        channel_open(&m->user[m->open].chan, name_of(m->open), false, 0);
        user_put(&m->user[m->open], 1);
    }
    m->next = 0;
}

static struct user *next_channel(struct many *m)
{
    if (m->next == m->open)
        m->next = 0;
    return &m->user[m->next++];
}

static void put_in_turn(void *state, unsigned n)
{
    while (n--)
        user_put(next_channel(state), 1);
}

static void get_in_turn(void *state, unsigned n)
{
    while (n--)
        user_get_last(next_channel(state), 1);
}

static void measure_step(const struct group *g, struct many *m, unsigned n, unsigned round)
{
    unsigned turn = n > BATCH ? n : BATCH / n * n;
    struct user *one;

    open_until(m, n);
    one = &m->user[n / 2];
    row_value(g, "put, in turn", n, round, batch_ns(put_in_turn, m, turn, 5));
    row_value(g, "put, one of them", n, round, batch_ns(user_put, one, BATCH, 9));
    row_value(g, "get LAST, in turn", n, round, batch_ns(get_in_turn, m, turn, 5));
    row_value(g, "get LAST, one of them", n, round, batch_ns(user_get_last, one, BATCH, 9));
}

void channels_measure(const struct group *g)
{
    struct many m = {.user = private_alloc(CHANNELS_MAX * sizeof(struct user))};
    unsigned round, n, most;

    allow_files(CHANNELS_MAX + SPARE_FILES);
    progress("channels: make them");
    most = make_all(&m);
    for (round = 0; round < rounds_of(g); round++) {
        progress("channels: round %u", round + 1);
        for (n = 1; n < most; n *= 10)
            measure_step(g, &m, n, round);
        measure_step(g, &m, most, round);
        while (m.open)
            ach_close(&m.user[--m.open].chan);
    }
    for (n = 0; n < most + SPARE_CHANNELS; n++)
        ach_unlink(name_of(n));
    free(m.user);
}
