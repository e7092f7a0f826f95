/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channels.c - put and get when one process has many channels open
 *
 * In turn: one operation on each, then again, so that every channel has left
 * the nearest caches before it comes again. By itself: again and again on one
 * of them, which shows what is due to the number alone.
 */
#include <stdlib.h>

#include "filelimit.h"
#include "scaling.h"

#define CHANNELS_MAX 10000u
#define QUICK_CHANNELS 1000u
#define SPARE_FILES 64u
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

/* How many channels there can be: so many fit in half of the free memory. */
static unsigned most_channels(void)
{
    unsigned wanted = bench.quick ? QUICK_CHANNELS : CHANNELS_MAX;
    unsigned held = held_count;
    ach_channel_t chan;
    ach_info_t info;
    uint64_t room;

    channel_make("probe", ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, false);
    channel_open(&chan, "probe", false, 0);
    MUST_ACH(ach_channel_info(&chan, &info));
    release_to(held);
    room = shared_room() / info.memory;
    if (bench.quick)
        note("A quick run opens %u channels at most.", QUICK_CHANNELS);
    if (room < wanted)
        note("Half of the free shared memory holds %u channels.", (unsigned)room);
    return room < wanted ? (unsigned)room : wanted;
}

/* Make and open channels until there are n. False: there can be no more, and a few are given back,
   so that there is room for other things. */
static bool open_until(struct many *m, unsigned n)
{
    m->next = 0;
    for (; m->open < n; m->open++) {
        struct user *u = &m->user[m->open];

        ach_unlink(name_of(m->open));
        if (ach_create(name_of(m->open), ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, NULL) !=
                ACH_OK ||
            ach_open(&u->chan, name_of(m->open), NULL) != ACH_OK)
            return false;
        user_put(u, 1);
    }
    return true;
}

static void close_until(struct many *m, unsigned n)
{
    for (; m->open > n; m->open--) {
        MUST_ACH(ach_close(&m->user[m->open - 1].chan));
        MUST_ACH(ach_unlink(name_of(m->open - 1)));
    }
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
    struct user *one = &m->user[n / 2];

    row_value(g, "put, in turn", n, round, batch_ns(put_in_turn, m, turn, 5));
    row_value(g, "put, one of them", n, round, batch_ns(user_put, one, BATCH, 9));
    row_value(g, "get LAST, in turn", n, round, batch_ns(get_in_turn, m, turn, 5));
    row_value(g, "get LAST, one of them", n, round, batch_ns(user_get_last, one, BATCH, 9));
}

void channels_measure(const struct group *g, unsigned round)
{
    struct many m = {.user = private_alloc(CHANNELS_MAX * sizeof(struct user))};
    static unsigned most;
    unsigned n;

    filelimit_raise(0);
    if (round == 0)
        most = most_channels();
    for (n = 1; n < 10 * most; n *= 10) {
        if (!open_until(&m, n < most ? n : most)) {
            note("This process could open %u channels: %s.", m.open, ach_errstr());
            most = m.open > SPARE_FILES ? m.open - SPARE_FILES : 1;
            close_until(&m, most);
        }
        measure_step(g, &m, m.open, round);
    }
    close_until(&m, 0);
}
