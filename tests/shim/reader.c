/* SPDX-License-Identifier: BSD-3-Clause */
#include "play.h"

#include <string.h>

#include "../../src/core/order.h"
#include "chan.h"
#include "oracle.h"

#define ULL(x) ((unsigned long long)(x))

/* The state when a get began. */
struct before {
    uint64_t newest;
    uint64_t writer_steps;
    uint64_t steps;
    struct achi_cursor cursor;
};

static struct before remember(const struct player *r)
{
    return (struct before){oracle_newest(), oracle_writer_steps(), r->steps, r->cursor};
}

/* Each try loads the head, visits each frame at most once, and copies once. */
static uint64_t get_bound(void)
{
    return ACHI_GET_TRIES * (16 + chan_view.frame_cnt + chan_view.capacity / 8);
}

static bool cursor_same(const struct achi_cursor *a, const struct achi_cursor *b)
{
    return a->seen == b->seen && a->missed == b->missed && a->received == b->received &&
           a->missed_last == b->missed_last;
}

/* G1. FIRST may skip only messages that had to be evicted. */
static void check_choice(const struct before *b, uint64_t seq, int options)
{
    uint64_t next = b->cursor.seen + 1;
    uint64_t oldest = oracle_oldest();

    if (seq == b->cursor.seen) {
        if (!(options & ACH_O_COPY) || b->newest > seq)
            oracle_fail("get gave message %llu twice", ULL(seq));
    } else if (seq < next) {
        oracle_fail("get went back from %llu to %llu", ULL(b->cursor.seen), ULL(seq));
    } else if (options & ACH_O_LAST) {
        if (seq < b->newest)
            oracle_fail("LAST gave %llu, but %llu was there before", ULL(seq), ULL(b->newest));
    } else if (seq > (next > oldest ? next : oldest)) {
        oracle_fail("FIRST gave %llu after %llu, but %llu must be there", ULL(seq),
                    ULL(b->cursor.seen), ULL(next > oldest ? next : oldest));
    } else if (b->newest >= chan_view.frame_cnt && seq <= b->newest - chan_view.frame_cnt) {
        oracle_fail("FIRST gave %llu, older than the frames before %llu", ULL(seq), ULL(b->newest));
    }
}

/* G3: every gap is reported, with its length. */
static void check_counts(const struct player *r, const struct before *b, enum ach_status status)
{
    const struct achi_cursor *c = &r->cursor;
    uint64_t gap = c->seen - b->cursor.seen - 1;

    if (c->seen == b->cursor.seen) {
        if (status != ACH_OK || !cursor_same(c, &b->cursor))
            oracle_fail("the same message again moved the cursor");
        return;
    }
    if (c->missed_last != gap || c->missed != b->cursor.missed + gap ||
        c->received != b->cursor.received + 1 || c->received + c->missed + r->flushed != c->seen)
        oracle_fail("the count of missed messages is wrong");
    if ((status == ACH_MISSED_FRAME) != (gap > 0))
        oracle_fail("get says %d with a gap of %llu", (int)status, ULL(gap));
}

/* G7. A get starts over only if a writer took steps meanwhile. */
static void check_effort(const struct player *r, const struct before *b, int options)
{
    uint64_t again = r->cursor.overtaken - b->cursor.overtaken;

    if (r->steps - b->steps > get_bound())
        oracle_fail("a get took %llu steps", ULL(r->steps - b->steps));
    if (!play_strict)
        return;
    if (again && oracle_writer_steps() == b->writer_steps)
        oracle_fail("a get started over though no writer moved");
    if ((options & ACH_O_LAST) && again > oracle_newest() - b->newest)
        oracle_fail("a LAST started over more often than messages were put");
}

static void check_message(const struct achi_look *look, uint64_t seq)
{
    const struct message *m = oracle_message(seq);

    if (!m)
        oracle_fail("message %llu was never committed", ULL(seq));
    else if (look->seq != seq || look->size != m->size || look->stamp != m->stamp)
        oracle_fail("message %llu has a wrong size or stamp", ULL(seq));
}

static void check_nothing_new(const struct player *r, const struct before *b, int options)
{
    uint64_t again = r->cursor.overtaken - b->cursor.overtaken;
    bool something = b->newest > b->cursor.seen || ((options & ACH_O_COPY) && b->newest);

    if (!cursor_same(&r->cursor, &b->cursor))
        oracle_fail("a get without a message moved the cursor");
    if (something && again != ACHI_GET_TRIES)
        oracle_fail("get says nothing new at %llu, but %llu was there", ULL(r->cursor.seen),
                    ULL(b->newest));
}

static void check_lenient(enum ach_status r)
{
    if (r != ACH_OK && r != ACH_OVERFLOW && r != ACH_EAGAIN && r != ACH_MISSED_FRAME &&
        r != ACH_CORRUPT)
        oracle_fail("a read of damaged memory says %d", (int)r);
}

static void check_get(const struct player *r, const struct before *b, const struct op *op,
                      const void *buf, enum ach_status status, const struct achi_look *look)
{
    check_effort(r, b, op->options);
    if (!play_strict) {
        check_lenient(status);
        return;
    }
    switch (status) {
    case ACH_OK:
    case ACH_MISSED_FRAME:
        check_message(look, r->cursor.seen);
        check_choice(b, r->cursor.seen, op->options);
        check_counts(r, b, status);
        if (r->cursor.stamp != look->stamp)
            oracle_fail("the cursor has another stamp than the message");
        if (!oracle_failed() && buf &&
            (look->size > op->size ||
             !message_matches(buf, oracle_message(look->seq)->id, look->size)))
            oracle_fail("message %llu is torn", ULL(look->seq));
        break;
    case ACH_OVERFLOW:
        check_message(look, look->seq);
        check_choice(b, look->seq, op->options);
        if (!cursor_same(&r->cursor, &b->cursor) || look->size <= op->size)
            oracle_fail("a wrong ACH_OVERFLOW");
        break;
    case ACH_EAGAIN:
        check_nothing_new(r, b, op->options);
        break;
    default:
        if (status != ACH_CORRUPT || !oracle_retired(false))
            oracle_fail("get says %d", (int)status);
    }
}

/* Wait as the library does: raise the waiter flag, check the state, sleep on the commit word. */
static void wait(const struct player *r, uint32_t word)
{
    if (!r->script->readonly) {
        if (!achi_raise(&chan_view, &word))
            return;
    } else {
        (void)achi_load(&chan_view.hdr->readonly_wake, WAIT_READONLY);
    }
    if (achi_load_acquire(&chan_view.hdr->state, WAIT_STATE) == ACHI_REPLACED)
        return;
    shim_step(SHIM_SLEEP);
    sched_sleep(&chan_view.hdr->commit, word);
}

/* The origin is that of the message, or the message was overwritten. */
static void check_origin(uint64_t seq)
{
    struct achi_origin origin, want = {0, 0, 0};
    enum ach_status status = achi_origin(&chan_view, seq, &origin);

    if (!play_strict || oracle_failed())
        return;
    if (oracle_message(seq)->relayed)
        want = message_origin(oracle_message(seq)->id);
    if (status == ACH_OK ? memcmp(&origin, &want, sizeof(want)) != 0
                         : status != ACH_EAGAIN || oracle_newest() <= seq)
        oracle_fail("message %llu has a wrong origin, or none (%d)", ULL(seq), (int)status);
}

enum ach_status reader_get(struct player *r, const struct op *op)
{
    void *buf = op->kind == OP_VIEW ? NULL : r->buf;
    struct op call = *op;
    struct achi_look look = {0};
    uint32_t word = 0;

    if (call.options & ACH_O_WAIT)
        call.options &= ~ACH_O_COPY;
    for (;;) {
        struct before b = remember(r);
        enum ach_status status = achi_get(&chan_view, &r->cursor, buf, buf ? op->size : UINT64_MAX,
                                          call.options, &look, &word);

        check_get(r, &b, &call, buf, status, &look);
        if ((chan_view.flags & ACHI_F_ORIGINS) && (status == ACH_OK || status == ACH_MISSED_FRAME))
            check_origin(r->cursor.seen);
        if (oracle_failed() || status != ACH_EAGAIN || !(call.options & ACH_O_WAIT)) {
            r->look = look;
            return r->status = status;
        }
        wait(r, word);
    }
}

/* Bytes read in place are valid only if the message has not been overwritten afterwards. */
static void view(struct player *r, const struct op *op)
{
    enum ach_status status = reader_get(r, op);
    struct achi_look look = r->look;
    bool valid;

    if (oracle_failed() || (status != ACH_OK && status != ACH_MISSED_FRAME))
        return;
    shim_step(SHIM_COPY_OUT);
    achi_copy_out(r->buf, look.place, (size_t)look.size);
    valid = achi_look_valid(&look);
    if (!play_strict)
        return;
    if (valid && !message_matches(r->buf, oracle_message(look.seq)->id, look.size))
        oracle_fail("message %llu is torn in place", ULL(look.seq));
    if (!valid && oracle_newest() <= look.seq)
        oracle_fail("the newest message, %llu, went away", ULL(look.seq));
}

static void peek(struct player *r)
{
    struct before b = remember(r);
    uint32_t word;
    enum ach_status status = r->status = achi_peek(&chan_view, &r->cursor, &word);

    if (!play_strict)
        check_lenient(status);
    else if (status == ACH_OK       ? oracle_newest() <= r->cursor.seen
             : status == ACH_EAGAIN ? b.newest > r->cursor.seen
                                    : !oracle_retired(false))
        oracle_fail("peek says %d", (int)status);
}

static void flush(struct player *r)
{
    struct before b = remember(r);
    enum ach_status status = r->status = achi_flush(&chan_view, &r->cursor);

    r->flushed += r->cursor.seen - b.cursor.seen;
    if (!play_strict)
        check_lenient(status);
    else if (status == ACH_OK        ? r->cursor.seen < b.newest || r->cursor.seen > oracle_newest()
             : status == ACH_CORRUPT ? !oracle_retired(false)
                                     : status != ACH_EAGAIN || oracle_newest() - b.newest < 32)
        oracle_fail("flush says %d and is at %llu", (int)status, ULL(r->cursor.seen));
}

static void range(struct player *r)
{
    struct before b = remember(r);
    uint64_t newest = 0, oldest = 0;
    enum ach_status status = r->status = achi_range(&chan_view, &newest, &oldest);

    if (!play_strict)
        check_lenient(status);
    else if (status == ACH_OK ? newest < b.newest || newest > oracle_newest() || oldest > newest ||
                                    (newest && oldest < oracle_begin()) ||
                                    (oldest > oracle_oldest() && oldest > oracle_begin())
                              : status != ACH_EAGAIN || oracle_newest() - b.newest < 32)
        oracle_fail("range says %d, %llu to %llu", (int)status, ULL(oldest), ULL(newest));
}

void reader_do(struct player *r, const struct op *op)
{
    switch (op->kind) {
    case OP_GET:
        reader_get(r, op);
        break;
    case OP_VIEW:
        view(r, op);
        break;
    case OP_PEEK:
        peek(r);
        break;
    case OP_FLUSH:
        flush(r);
        break;
    default:
        range(r);
        break;
    }
}

/* G6: a reader sleeps only if it has seen the newest message. */
void reader_check_asleep(const struct player *r)
{
    if (r->cursor.seen != oracle_newest())
        oracle_fail("a reader that saw %llu sleeps though %llu is there", ULL(r->cursor.seen),
                    ULL(oracle_newest()));
    else if (oracle_retired(true) && !r->script->readonly)
        oracle_fail("a reader sleeps on a retired channel");
}

void reader_check_fresh(void)
{
    static const struct op last = {.kind = OP_GET, .size = PLAY_BUFFER, .options = ACH_O_LAST};
    static const struct op first = {.kind = OP_GET, .size = PLAY_BUFFER};
    struct script script = {0};
    struct player r = {.script = &script};
    uint64_t newest = oracle_newest();
    uint64_t least = newest - oracle_begin() + 1;
    enum ach_status status;

    reader_get(&r, &last);
    if (r.cursor.seen != newest)
        oracle_fail("LAST does not give the newest message");
    r.cursor = (struct achi_cursor){0};
    reader_get(&r, &first);
    least = least < chan_view.frame_cnt ? least : chan_view.frame_cnt;
    if (oracle_all_ordinary() && newest - r.cursor.seen + 1 < least)
        oracle_fail("%llu messages are left, not %llu", ULL(newest - r.cursor.seen + 1),
                    ULL(least));
    while (!oracle_failed() && r.cursor.seen < newest) {
        status = reader_get(&r, &first);
        if (status != ACH_OK)
            oracle_fail("a message is missing between the oldest and the newest");
    }
}
