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

#include "peer.h"
#include "scaling.h"

#define CHANNELS_MAX 10000u
#define QUICK_CHANNELS 1000u
#define SPARE_FILES 64u
#define SPARE_CHANNELS 64u /* given back when the next one does not fit */
#define BATCH 1000u

struct many {
    ach_channel_t *chan;
    unsigned open, next;
    unsigned char message[MESSAGE_SIZE];
};

static const struct curve about = {
    .name = "channels",
    .title = "Put and get of 64 B with many channels open in one process",
    .x_label = "open channels",
    .x_log = true,
    .y_label = "ns",
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
static unsigned make_all(struct scaling *s, struct many *m)
{
    uint64_t room = shared_room() / channel_memory();
    unsigned i, made = 0, wanted = s->quick ? QUICK_CHANNELS : CHANNELS_MAX;

    if (room < wanted) {
        scaling_note(s, "Half of the free shared memory holds %u channels.", (unsigned)room);
        wanted = (unsigned)room;
    }
    for (; made < wanted; made++) {
        if (ach_create(name_of(made), ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, NULL) !=
            ACH_OK)
            break;
        if (ach_open(&m->chan[made], name_of(made), NULL) != ACH_OK) {
            ach_unlink(name_of(made));
            break;
        }
    }
    if (made < wanted)
        scaling_note(s, "This process could open %u channels: %s.", made, ach_errstr());
    for (i = 0; i < made; i++)
        ach_close(&m->chan[i]);
    if (made < wanted && made > SPARE_CHANNELS)
        made -= SPARE_CHANNELS;
    if (s->quick)
        scaling_note(s, "A quick run opens %u channels at most.", QUICK_CHANNELS);
    MUST(made > 0);
    return made;
}

static void open_until(struct many *m, unsigned n)
{
    for (; m->open < n; m->open++) {
        ach_channel_t *chan = &m->chan[m->open];

        channel_open(chan, name_of(m->open), false, 0);
        MUST_ACH(ach_put(chan, m->message, sizeof(m->message)));
    }
    m->next = 0;
}

static ach_channel_t *next_channel(struct many *m)
{
    if (m->next == m->open)
        m->next = 0;
    return &m->chan[m->next++];
}

static void put_one(struct many *m, ach_channel_t *chan)
{
    if (ach_put(chan, m->message, sizeof(m->message)) != ACH_OK)
        abort();
}

static void get_one(struct many *m, ach_channel_t *chan)
{
    size_t size;
    enum ach_status r =
        ach_get(chan, m->message, sizeof(m->message), &size, NULL, ACH_O_LAST | ACH_O_COPY);

    if (r != ACH_OK && r != ACH_MISSED_FRAME)
        abort();
}

static void put_in_turn(void *state, unsigned n)
{
    while (n--)
        put_one(state, next_channel(state));
}

static void get_in_turn(void *state, unsigned n)
{
    while (n--)
        get_one(state, next_channel(state));
}

static void put_alone(void *state, unsigned n)
{
    struct many *m = state;

    while (n--)
        put_one(m, &m->chan[m->open / 2]);
}

static void get_alone(void *state, unsigned n)
{
    struct many *m = state;

    while (n--)
        get_one(m, &m->chan[m->open / 2]);
}

static void measure_step(struct curve *c, struct many *m, unsigned n)
{
    unsigned turn = n > BATCH ? n : BATCH / n * n;

    open_until(m, n);
    curve_sample(c, "put, in turn", n, batch_ns(put_in_turn, m, turn, 5));
    curve_sample(c, "put, one of them", n, batch_ns(put_alone, m, BATCH, 9));
    curve_sample(c, "get LAST, in turn", n, batch_ns(get_in_turn, m, turn, 5));
    curve_sample(c, "get LAST, one of them", n, batch_ns(get_alone, m, BATCH, 9));
}

void channels_part(struct scaling *s)
{
    struct curve *c = scaling_curve(s, &about);
    struct many m = {.chan = private_alloc(CHANNELS_MAX * sizeof(ach_channel_t))};
    unsigned round, n, most;

    allow_files(CHANNELS_MAX + SPARE_FILES);
    scaling_progress(s, "channels: make them", 0);
    most = make_all(s, &m);
    for (round = 0; round < s->rounds; round++) {
        scaling_progress(s, "channels", round);
        for (n = 1; n < most; n *= 10)
            measure_step(c, &m, n);
        measure_step(c, &m, most);
        while (m.open)
            ach_close(&m.chan[--m.open]);
    }
    for (n = 0; n < most + SPARE_CHANNELS; n++)
        ach_unlink(name_of(n));
    free(m.chan);
}
