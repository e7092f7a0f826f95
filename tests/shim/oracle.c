/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chan.h"

#define MESSAGES 256

/* The put in progress of an actor. Index 0 is main's. */
struct pending {
    bool active;
    struct message m;
    unsigned committed;
    uint64_t seq;
};

static struct {
    bool failed;
    char reason[256];
    uint64_t start, newest; /* sequence numbers of messages[0] and of the newest message */
    struct message messages[MESSAGES];
    struct message next; /* written completely but not committed, by the latest writer */
    bool next_there;
    uint64_t floor; /* puts needed the ring space of all messages before this one */
    bool ordinary;
    uint64_t frame_size;
    struct pending pending[SCHED_MAX + 1];
    bool retiring, retired;
    uint64_t writer_steps;
} o;

void oracle_reset(const struct chan_plan *p)
{
    memset(&o, 0, sizeof(o));
    o.start = o.newest = p->start_seq;
    o.floor = oracle_begin();
    o.ordinary = p->start_seq == 0 || p->start_size <= p->frame_size;
    o.frame_size = p->frame_size;
    o.messages[0] = (struct message){.id = ORACLE_START_ID,
                                     .size = p->start_seq ? p->start_size : 0,
                                     .reserved = p->start_seq ? p->start_size : 0,
                                     .pos = p->start_pos};
}

void oracle_fail(const char *format, ...)
{
    va_list ap;

    if (o.failed)
        return;
    o.failed = true;
    va_start(ap, format);
    vsnprintf(o.reason, sizeof(o.reason), format, ap);
    va_end(ap);
}

bool oracle_failed(void)
{
    return o.failed;
}

const char *oracle_reason(void)
{
    return o.reason;
}

static struct pending *pending_of(const struct actor *a)
{
    return &o.pending[a ? a->id + 1 : 0];
}

void oracle_put_begins(uint32_t id, uint64_t reserved)
{
    struct pending *p = pending_of(sched_current());

    *p = (struct pending){.active = true, .m = {.id = id, .size = reserved, .reserved = reserved}};
}

void oracle_put_relayed(void)
{
    pending_of(sched_current())->m.relayed = true;
}

void oracle_put_size(uint64_t size)
{
    pending_of(sched_current())->m.size = size;
}

unsigned oracle_put_ends(void)
{
    struct pending *p = pending_of(sched_current());

    p->active = false;
    return p->committed;
}

uint64_t oracle_put_seq(int id)
{
    return o.pending[id + 1].seq;
}

const struct message *oracle_message(uint64_t seq)
{
    if (seq < oracle_begin() || seq > o.newest)
        return NULL;
    return &o.messages[seq - o.start];
}

static uint64_t end_pos(void)
{
    const struct message *m = &o.messages[o.newest - o.start];

    return m->pos + (m->reserved > chan_view.inline_max ? chan_used(m->size) : 0);
}

/* A put that makes room in the ring may void only the messages whose bytes it needs. */
void oracle_locked(void)
{
    const struct pending *p = pending_of(sched_current());
    uint64_t n = p->m.reserved;

    if (!p->active)
        return;
    o.ordinary = o.ordinary && n <= o.frame_size;
    if (n <= chan_view.inline_max)
        return;
    while (o.floor < o.newest &&
           end_pos() + n - o.messages[o.floor - o.start].pos > chan_view.data_size)
        o.floor++;
}

/* The message as its entry must describe it. */
static struct message whole(const struct message *m)
{
    struct message w = *m;

    w.pos = end_pos();
    w.stamp = chan_view.flags & ACHI_F_TIMESTAMPS ? deps_last_stamp() : 0;
    return w;
}

static void committed(const struct actor *a, uint32_t commit)
{
    struct pending *p = pending_of(a);

    if (!ACHI_NAMES(commit, o.newest + 1))
        oracle_fail("the commit word went on from sequence %llu to %#x",
                    (unsigned long long)o.newest, commit);
    else if (!p->active || p->committed)
        oracle_fail("a commit by an actor that has nothing to put");
    else if (!sched_locked() || sched_lock_owner() != a)
        oracle_fail("a commit without the lock");
    else if ((commit & ACHI_WAITER) && !chan_view.hdr->readonly_wake)
        oracle_fail("a commit left the waiter flag up: the next one would wake in vain");
    if (o.failed)
        return;
    if (o.newest + 1 - o.start >= MESSAGES)
        abort();
    p->committed++;
    o.messages[o.newest + 1 - o.start] = whole(&p->m);
    o.newest++;
    o.next_there = false;
    p->seq = o.newest;
}

static const unsigned char *place_of(const struct achi_entry *e)
{
    return e->off & ACHI_INLINE ? (const unsigned char *)e->small : chan_view.data + e->off;
}

/* An entry that is not void describes its message correctly, and that message is intact. */
static void check_entry(const struct achi_entry *e, uint64_t index)
{
    const struct message *m = e->seq == o.newest + 1 ? &o.next : oracle_message(e->seq);

    if (e->seq == ACHI_NONE || e->seq == 0)
        return;
    if (!m || (e->seq & chan_view.mask) != index)
        oracle_fail("entry %llu has sequence %llu", (unsigned long long)index,
                    (unsigned long long)e->seq);
    else if (e->size != m->size || e->pos != m->pos || e->stamp != m->stamp ||
             (e->off & ~ACHI_INLINE) != e->pos % chan_view.data_size)
        oracle_fail("the entry of message %llu is wrong", (unsigned long long)e->seq);
    else if (!chan_matches(place_of(e), m->id, m->size))
        oracle_fail("message %llu is overwritten and not void", (unsigned long long)e->seq);
}

static void check_state(const struct message *m)
{
    bool next_there = achi_entry_of(&chan_view, o.newest + 1)->seq == o.newest + 1;
    uint64_t i;

    if (next_there && !o.next_there)
        o.next = whole(m);
    o.next_there = next_there;
    if (achi_entry_of(&chan_view, o.newest)->seq != o.newest)
        oracle_fail("the newest message, %llu, is not there", (unsigned long long)o.newest);
    for (i = 0; i <= chan_view.mask; i++)
        check_entry(&chan_view.entries[i], i);
}

void oracle_observe(const struct actor *a)
{
    uint32_t commit = chan_view.hdr->commit;

    if (o.failed)
        return;
    if (!ACHI_NAMES(commit, o.newest))
        committed(a, commit);
    if (!o.failed && pending_of(a)->active) {
        o.writer_steps++;
        check_state(&pending_of(a)->m);
    }
}

void oracle_retire(bool done)
{
    o.retiring = true;
    o.retired = done;
}

bool oracle_retired(bool done)
{
    return done ? o.retired : o.retiring;
}

uint64_t oracle_newest(void)
{
    return o.newest;
}

uint64_t oracle_begin(void)
{
    return o.start ? o.start : 1;
}

uint64_t oracle_oldest(void)
{
    uint64_t oldest = o.floor;

    if (o.newest >= chan_view.frame_cnt && oldest < o.newest - chan_view.frame_cnt + 1)
        oldest = o.newest - chan_view.frame_cnt + 1;
    return oldest;
}

bool oracle_all_ordinary(void)
{
    return o.ordinary;
}

uint64_t oracle_writer_steps(void)
{
    return o.writer_steps;
}
