/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "get.h"

#include "order.h"

/* Result of a try, beside the statuses: a writer overwrote the message, so start over. */
enum { OVERTAKEN = -1 };

/*
 * Find the newest sequence. If the entry does not have the sequence that the
 * commit word names, writers have lapped this reader, and the commit word has
 * changed. If it has not changed, the channel is damaged.
 */
static int head(const struct achi_view *v, uint32_t *word, uint64_t *newest)
{
    uint32_t c = achi_load_acquire(&v->hdr->commit, GET_HEAD);
    const struct achi_entry *e = achi_entry_of(v, ACHI_SEQ(c));
    uint64_t seq;

    __builtin_prefetch((const unsigned char *)e + sizeof(*e) / 2); /* both cache lines at once */
    seq = achi_load(&e->seq, GET_SEQ);
    *word = c;
    *newest = seq;
    if (ACHI_NAMES(c, seq))
        return ACH_OK;
    achi_fence_load(GET_AGAIN_FENCE);
    if ((achi_load(&v->hdr->commit, GET_AGAIN) ^ c) & ACHI_SEQ_BITS)
        return OVERTAKEN;
    return ACH_CORRUPT;
}

/* The oldest message from seq on that is still valid, or else the newest. */
static uint64_t find_first(const struct achi_view *v, uint64_t seq, uint64_t newest)
{
    uint64_t first;

    if (newest >= v->frame_cnt && seq <= newest - v->frame_cnt)
        seq = newest - v->frame_cnt + 1;
    if (seq >= newest || achi_load(&achi_entry_of(v, seq)->seq, GET_SEQ) == seq)
        return seq;
    first = achi_load(&v->hdr->first, GET_FIRST);
    if (first > seq && first <= newest)
        seq = first;
    while (seq < newest && achi_load(&achi_entry_of(v, seq)->seq, GET_SEQ) != seq)
        seq++;
    return seq;
}

bool achi_look_valid(const struct achi_look *look)
{
    achi_fence_load(GET_FENCE); /* with PUT_FENCE */
    return achi_load(&look->entry->seq, GET_CHECK) == look->seq;
}

/*
 * Read the committed message seq: ACH_OK, ACH_OVERFLOW, ACH_CORRUPT or
 * OVERTAKEN. A writer may overwrite the entry and the bytes meanwhile; the
 * check of the entry at the end detects that.
 */
static int take(const struct achi_view *v, uint64_t seq, void *buf, uint64_t room,
                struct achi_look *look)
{
    const struct achi_entry *e = achi_entry_of(v, seq);
    uint64_t off = achi_load(&e->off, GET_OFF);
    bool small, sane;

    look->size = achi_load(&e->size, GET_SIZE);
    look->stamp = achi_load(&e->stamp, GET_STAMP);
    look->entry = e;
    look->seq = seq;
    small = (off & ACHI_INLINE) != 0;
    sane = look->size > 0 && look->size <= v->capacity && ACHI_OFF_VALID(off, v->data_size) &&
           (!small || look->size <= ACHI_INLINE_MAX);
    if (sane)
        look->place = small ? (const unsigned char *)e->small : v->data + off;
    if (sane && buf && look->size <= room) {
        ACHI_STEP(GET_COPY);
        achi_copy_out(buf, look->place, (size_t)look->size);
    }
    if (!achi_look_valid(look))
        return OVERTAKEN;
    if (!sane)
        return ACH_CORRUPT;
    return look->size > room ? ACH_OVERFLOW : ACH_OK;
}

static enum ach_status advance(struct achi_cursor *cur, const struct achi_look *look)
{
    cur->stamp = look->stamp; /* also of a flushed message that ACH_O_COPY gets again */
    if (look->seq == cur->seen)
        return ACH_OK;
    cur->missed_last = look->seq - cur->seen - 1;
    cur->missed += cur->missed_last;
    cur->received++;
    cur->seen = look->seq;
    return cur->missed_last ? ACH_MISSED_FRAME : ACH_OK;
}

static int try_get(const struct achi_view *v, struct achi_cursor *cur, void *buf, uint64_t size,
                   int options, struct achi_look *look, uint32_t *word)
{
    uint64_t newest, seq;
    int r = head(v, word, &newest);

    if (r != ACH_OK)
        return r;
    if (newest < cur->seen)
        return ACH_CORRUPT;
    if (newest == cur->seen) {
        if (achi_load(&v->hdr->state, GET_STATE) == ACHI_REPLACED)
            return ACH_CORRUPT;
        if (newest == 0 || !(options & ACH_O_COPY))
            return ACH_EAGAIN;
    }
    if (newest == cur->seen || (options & ACH_O_LAST))
        seq = newest;
    else
        seq = find_first(v, cur->seen + 1, newest);
    r = take(v, seq, buf, size, look);
    return r == ACH_OK ? (int)advance(cur, look) : r;
}

ACHI_NO_BUFFER enum ach_status achi_get(const struct achi_view *v, struct achi_cursor *cur,
                                        void *buf, uint64_t size, int options,
                                        struct achi_look *look, uint32_t *word)
{
    int tries;

    for (tries = 0; tries < ACHI_GET_TRIES; tries++) {
        int r = try_get(v, cur, buf, size, options, look, word);

        if (r != OVERTAKEN)
            return (enum ach_status)r;
        cur->overtaken++;
    }
    /* There is a message, so the caller must not sleep: return an earlier commit word. */
    *word -= ACHI_ONE_MESSAGE;
    return ACH_EAGAIN;
}

/* As head, with retries while writers lap this reader. */
static enum ach_status find_head(const struct achi_view *v, uint32_t *word, uint64_t *newest)
{
    int tries;

    for (tries = 0; tries < ACHI_GET_TRIES; tries++) {
        int r = head(v, word, newest);

        if (r != OVERTAKEN)
            return (enum ach_status)r;
    }
    return ACH_EAGAIN;
}

enum ach_status achi_peek(const struct achi_view *v, const struct achi_cursor *cur, uint32_t *word)
{
    uint64_t newest;
    enum ach_status r = find_head(v, word, &newest);

    if (r == ACH_EAGAIN)
        return ACH_OK; /* lapped by writers: there are new messages */
    if (r != ACH_OK)
        return r;
    if (newest < cur->seen)
        return ACH_CORRUPT;
    if (newest > cur->seen)
        return ACH_OK;
    return achi_load(&v->hdr->state, GET_STATE) == ACHI_REPLACED ? ACH_CORRUPT : ACH_EAGAIN;
}

enum ach_status achi_flush(const struct achi_view *v, struct achi_cursor *cur)
{
    uint32_t word;
    uint64_t newest;
    enum ach_status r = find_head(v, &word, &newest);

    if (r != ACH_OK)
        return r;
    if (newest < cur->seen || achi_load(&v->hdr->state, GET_STATE) == ACHI_REPLACED)
        return ACH_CORRUPT;
    cur->seen = newest;
    return ACH_OK;
}

enum ach_status achi_origin(const struct achi_view *v, uint64_t seq, struct achi_origin *origin)
{
    const struct achi_look look = {.entry = achi_entry_of(v, seq), .seq = seq};

    origin->epoch = achi_load(&look.entry->origin_epoch, GET_ORIGIN);
    origin->seq = achi_load(&look.entry->small[ACHI_ORIGIN_SEQ], GET_ORIGIN);
    origin->stamp = achi_load(&look.entry->small[ACHI_ORIGIN_STAMP], GET_ORIGIN);
    return achi_look_valid(&look) ? ACH_OK : ACH_EAGAIN;
}

enum ach_status achi_range(const struct achi_view *v, uint64_t *newest, uint64_t *oldest)
{
    uint32_t word;
    enum ach_status r = find_head(v, &word, newest);

    if (r == ACH_OK)
        *oldest = *newest ? find_first(v, 1, *newest) : 0;
    return r;
}

bool achi_raise(const struct achi_view *v, uint32_t *word)
{
    uint32_t c = *word;

    if (!(c & ACHI_WAITER) && !achi_cas_seq_cst(&v->hdr->commit, &c, c | ACHI_WAITER, WAIT_RAISE))
        return false;
    *word = c | ACHI_WAITER;
    return true;
}
