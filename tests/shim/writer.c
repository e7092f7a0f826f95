/* SPDX-License-Identifier: BSD-3-Clause */
#include "play.h"

#include "../../src/core/put.h"
#include "chan.h"
#include "oracle.h"

/* The largest number of steps of one put, found by counting. */
static uint64_t put_bound(uint64_t n)
{
    return 35 + 3 * (chan_view.mask + 1) + n / 8;
}

static void check_put(enum ach_status r, uint64_t reserved, unsigned commits, uint64_t steps)
{
    enum ach_status want = ACH_OK;

    if (steps > put_bound(reserved))
        oracle_fail("a put of %llu bytes took %llu steps", (unsigned long long)reserved,
                    (unsigned long long)steps);
    if (!play_strict) {
        if (r != ACH_OK && r != ACH_OVERFLOW && r != ACH_LOCKED && r != ACH_CORRUPT)
            oracle_fail("put in damaged memory says %d", (int)r);
        return;
    }
    if (reserved > chan_view.capacity)
        want = ACH_OVERFLOW;
    else if (r == ACH_LOCKED && play_impatient)
        want = ACH_LOCKED;
    else if (r == ACH_CORRUPT && oracle_retired(false))
        want = ACH_CORRUPT;
    if (r != want)
        oracle_fail("put says %d, not %d", (int)r, (int)want);
    if (commits != (want == ACH_OK))
        oracle_fail("put says %d and committed %u times", (int)r, commits);
}

enum ach_status writer_put(struct player *w, uint64_t n)
{
    uint32_t id = w->next_id++;
    uint64_t steps = w->steps;
    enum ach_status r;

    message_fill(w->buf, id, n);
    oracle_put_begins(id, n);
    if (chan_view.flags & ACHI_F_ORIGINS) {
        struct achi_origin origin = message_origin(id);

        oracle_put_relayed();
        r = achi_put_origin(&chan_view, w->buf, n, &origin);
    } else {
        r = achi_put(&chan_view, w->buf, n);
    }
    check_put(r, n, oracle_put_ends(), w->steps - steps);
    return w->status = r;
}

/* Put in place, on a single-writer channel. */
static void reserve(struct player *w, const struct op *op, bool commit)
{
    uint32_t id = w->next_id++;
    uint64_t steps = w->steps;
    struct achi_room room;
    enum ach_status r;

    message_fill(w->buf, id, op->size);
    oracle_put_begins(id, op->size);
    r = achi_room_take(&chan_view, op->size, &room);
    if (r == ACH_OK) {
        shim_step(SHIM_COPY_IN);
        achi_copy_in(room.place, w->buf, op->size);
    }
    if (r != ACH_OK || !commit) {
        if (oracle_put_ends() && play_strict)
            oracle_fail("a reservation was committed by nobody");
        return;
    }
    oracle_put_size(op->least);
    do {
        r = achi_room_commit(&chan_view, &room, op->least);
    } while (r == ACH_LOCKED && play_strict);
    check_put(r, op->size, oracle_put_ends(), play_impatient ? 0 : w->steps - steps);
}

/* Retire the channel as the library does: set the state, then change the commit word and wake. */
static void retire(void)
{
    shim_step(SHIM_RETIRE);
    oracle_retire(false);
    __atomic_store_n(&chan_view.hdr->state, ACHI_REPLACED, __ATOMIC_RELEASE);
    shim_step(SHIM_RETIRE);
    __atomic_fetch_add(&chan_view.hdr->commit, ACHI_NUDGE, __ATOMIC_ACQ_REL);
    sched_wake();
    oracle_retire(true);
}

void writer_do(struct player *w, const struct op *op)
{
    switch (op->kind) {
    case OP_PUT:
        writer_put(w, op->size);
        break;
    case OP_RESERVE:
    case OP_ABORT:
        reserve(w, op, op->kind == OP_RESERVE);
        break;
    default:
        retire();
        break;
    }
}
