/* SPDX-License-Identifier: BSD-3-Clause */
/* readers.c - get messages in every way there is, and check each of them */
#include "ledger.h"
#include "racy.h"
#include "run.h"

enum how { BY_GET, BY_VIEW, BY_WAIT, BY_GROWING };

static const struct kind {
    const char *name;
    enum how how;
    int options;
    bool readonly;
} kinds[] = {
    {"first", BY_GET, 0, false},
    {"last", BY_GET, ACH_O_LAST, false},
    {"first, waiting", BY_GET, ACH_O_WAIT, false},
    {"view first", BY_VIEW, 0, false},
    {"last, waiting", BY_GET, ACH_O_WAIT | ACH_O_LAST, false},
    {"first, read-only, waiting", BY_GET, ACH_O_WAIT, true},
    {"copy last", BY_GET, ACH_O_COPY | ACH_O_LAST, false},
    {"view last, waiting", BY_VIEW, ACH_O_WAIT | ACH_O_LAST, false},
    {"wait, then first", BY_WAIT, 0, false},
    {"last, read-only", BY_GET, ACH_O_LAST, true},
    {"copy first", BY_GET, ACH_O_COPY, false},
    {"first, growing buffer", BY_GROWING, 0, false},
    {"view, read-only, waiting", BY_VIEW, ACH_O_WAIT, true},
};

const unsigned run_reader_kinds = sizeof(kinds) / sizeof(kinds[0]);

struct reader {
    const struct kind *kind;
    ach_channel_t chan;
    struct ledger ledger;
    unsigned char *buf;
    size_t room;
    uint64_t rng;
};

static const struct timespec patience = {.tv_nsec = RUN_WAIT_NS};

static enum ach_status take_view(struct reader *r, size_t *size)
{
    const void *p;
    enum ach_status s = ach_view(&r->chan, &p, size, &patience, r->kind->options | ACH_O_RELTIME);

    if (s != ACH_OK && s != ACH_MISSED_FRAME)
        return s;
    if (CHECK(*size <= r->room))
        racy_copy(r->buf, p, *size);
    return s;
}

/* Get with a buffer that may be too small, and grow it until the message fits. */
static enum ach_status take_growing(struct reader *r, size_t *size)
{
    size_t room = (size_t)(check_random(&r->rng) % (r->room + 1));

    for (;;) {
        enum ach_status s = ach_get(&r->chan, r->buf, room, size, NULL, r->kind->options);

        if (s != ACH_OVERFLOW)
            return s;
        if (!CHECK(*size > room && *size <= r->room))
            return ACH_BUG;
        room = *size;
    }
}

static enum ach_status take(struct reader *r, size_t *size)
{
    ach_wait_item_t item = {.chan = &r->chan};
    enum ach_status s;

    switch (r->kind->how) {
    case BY_VIEW:
        return take_view(r, size);
    case BY_GROWING:
        return take_growing(r, size);
    case BY_WAIT:
        s = ach_wait(&item, 1, &patience, ACH_O_RELTIME);
        if (s != ACH_OK)
            return s;
        CHECK_OK(item.status);
        break;
    default:
        break;
    }
    return ach_get(&r->chan, r->buf, r->room, size, &patience, r->kind->options | ACH_O_RELTIME);
}

/* Check a new message, or the same message again. */
static void account(struct reader *r, enum ach_status s, size_t size)
{
    bool spoiled = r->kind->how == BY_VIEW && ach_view_check(&r->chan) != ACH_OK;
    bool moved = ledger_move(&r->ledger, &r->chan, s);

    if (spoiled) {
        r->ledger.spoiled++;
        ledger_gap(&r->ledger, 1);
    } else if (moved) {
        ledger_enter(&r->ledger, r->buf, size);
    } else {
        CHECK((r->kind->options & ACH_O_COPY) && s == ACH_OK);
        ledger_again(r->buf, size);
    }
}

/* Read until all writers have ended and nothing is left. */
static void read_all(struct reader *r, struct actor *self, const struct run_shared *shared)
{
    for (;;) {
        bool over = __atomic_load_n(&shared->over, __ATOMIC_ACQUIRE);
        uint64_t before = r->ledger.seq;
        size_t size = 0;
        enum ach_status s = take(r, &size);

        if (s == ACH_OK || s == ACH_MISSED_FRAME)
            account(r, s, size);
        else if (s != ACH_EAGAIN)
            CHECK_STATUS(s, ACH_TIMEOUT);
        if (check_failures > 5 || (over && r->ledger.seq == before))
            return;
        if (r->ledger.seq == before)
            sched_yield();
        actor_step(self);
    }
}

int run_reader(struct actor *self)
{
    const struct run *run = self->arg;
    struct reader r = {.kind = &kinds[self->index % run_reader_kinds], .rng = run->seed};

    r.room = run_capacity(run);
    r.buf = malloc(r.room);
    REQUIRE(r.buf);
    run_open(run, &r.chan, r.kind->readonly, false);
    read_all(&r, self, run->shared);
    ledger_close(&r.ledger, run->shared->put, run->writers);
    __atomic_fetch_add(&run->shared->checked, r.ledger.checked, __ATOMIC_RELAXED);
    __atomic_fetch_add(&run->shared->missed, r.ledger.missed, __ATOMIC_RELAXED);
    __atomic_fetch_add(&run->shared->spoiled, r.ledger.spoiled, __ATOMIC_RELAXED);
    if (check_failures)
        fprintf(stderr, "reader: %s, %zu frames of %zu bytes, sizes %d\n", r.kind->name,
                run->shape.frame_cnt, run->shape.frame_size, (int)run->mix);
    CHECK_OK(ach_close(&r.chan));
    free(r.buf);
    return check_failures;
}
