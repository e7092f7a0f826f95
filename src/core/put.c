/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "put.h"

#include "order.h"

/* Find the ring position and the entry behind the newest message. */
ACHI_HOT enum ach_status find_end(const struct achi_view *v, struct achi_room *room)
{
    uint32_t commit = achi_load(&v->hdr->commit, PUT_HEAD);
    struct achi_entry *last = achi_entry_of(v, ACHI_SEQ(commit));
    uint64_t seq = achi_load(&last->seq, PUT_LAST);
    uint64_t pos = achi_load(&last->pos, PUT_LAST_POS);
    uint64_t off = achi_load(&last->off, PUT_LAST_OFF);
    uint64_t size = achi_load(&last->size, PUT_LAST_SIZE);

    if (achi_load(&v->hdr->state, PUT_STATE) == ACHI_REPLACED)
        return ACH_CORRUPT;
    if (!ACHI_NAMES(commit, seq) || size > v->capacity || !ACHI_OFF_VALID(off, v->data_size))
        return ACH_CORRUPT;

    if (!(off & ACHI_INLINE)) {
        uint64_t used = (size + ACHI_ALIGN - 1) & ~(uint64_t)(ACHI_ALIGN - 1);

        pos += used;
        off += used;
        if (off >= v->data_size)
            off -= v->data_size;
    }
    room->seq = seq + 1;
    room->pos = pos;
    room->off = off & ~ACHI_INLINE;
    room->entry = achi_entry_of(v, room->seq);
    return ACH_OK;
}

/*
 * Void the entries whose bytes lie where those of message seq are about to be written, up to end.
 * Takes values: passing the address of the room would force it out of registers.
 */
static enum ach_status evict(const struct achi_view *v, uint64_t seq, uint64_t end)
{
    uint64_t newest = seq - 1;
    uint64_t first = achi_load(&v->hdr->first, PUT_FIRST);
    uint64_t f = first;

    if (first > seq)
        return ACH_CORRUPT;
    if (seq > v->mask && f < seq - v->mask)
        f = seq - v->mask;
    while (f <= newest) {
        struct achi_entry *old = achi_entry_of(v, f);

        if (end - achi_load(&old->pos, PUT_OLD_POS) <= v->data_size)
            break;
        if (f == newest)
            return ACH_CORRUPT;
        achi_store_release(&old->seq, ACHI_NONE, PUT_EVICT);
        f++;
    }
    if (f != first)
        achi_store(&v->hdr->first, f, PUT_FIRST_MOVE);
    return ACH_OK;
}

ACHI_HOT enum ach_status make_room(const struct achi_view *v, uint64_t n, struct achi_room *room)
{
    enum ach_status r = find_end(v, room);

    if (r != ACH_OK)
        return r;
    if (n <= v->inline_max) {
        room->off |= ACHI_INLINE;
        room->place = (unsigned char *)room->entry->small;
    } else {
        r = evict(v, room->seq, room->pos + n);
        if (r != ACH_OK)
            return r;
        room->place = v->data + room->off;
    }
    achi_store_release(&room->entry->seq, ACHI_NONE, PUT_VOID);
    achi_fence_store(PUT_FENCE); /* with GET_FENCE */
    return ACH_OK;
}

ACHI_HOT void commit(const struct achi_view *v)
{
    uint32_t c = achi_load(&v->hdr->commit, PUT_WAITER);

    if (!(c & ACHI_WAITER) && !achi_load(&v->hdr->readonly_wake, PUT_READONLY) &&
        achi_cas_release(&v->hdr->commit, &c, c + ACHI_ONE_MESSAGE, PUT_COMMIT))
        return;
    ACHI_STEP(PUT_COMMIT_WAKE);
    achi_commit_wake(v, c & ACHI_WAITER ? ACHI_ONE_MESSAGE - ACHI_WAITER : ACHI_ONE_MESSAGE);
    /*
     * Only a writer clears the flag, and we hold the lock; but where readers may lower it, the
     * addition may have raised it again instead of carrying into the sequence. A second addition
     * commits in any case. Killed between the two, we leave a raised flag.
     */
    if ((v->flags & ACHI_F_LOWERED) &&
        ACHI_SEQ(achi_load(&v->hdr->commit, PUT_WAITER)) == ACHI_SEQ(c))
        achi_commit_wake(v, ACHI_ONE_MESSAGE);
}

/* origin: NULL if the channel has no origins. */
ACHI_HOT void publish(const struct achi_view *v, const struct achi_room *room, uint64_t n,
                      const struct achi_origin *origin)
{
    struct achi_entry *e = room->entry;

    achi_store(&e->pos, room->pos, PUT_POS);
    achi_store(&e->off, room->off, PUT_OFF);
    achi_store(&e->size, n, PUT_SIZE);
    if (v->flags & ACHI_F_TIMESTAMPS)
        achi_store(&e->stamp, achi_now(v), PUT_STAMP);
    if (origin) {
        achi_store(&e->origin_epoch, origin->epoch, PUT_ORIGIN);
        achi_store(&e->small[ACHI_ORIGIN_SEQ], origin->seq, PUT_ORIGIN);
        achi_store(&e->small[ACHI_ORIGIN_STAMP], origin->stamp, PUT_ORIGIN);
    }
    achi_store(&e->seq, room->seq, PUT_SEQ);
    commit(v);
}

ACHI_HOT enum ach_status put_message(const struct achi_view *v, const void *buf, uint64_t n,
                                     const struct achi_origin *origin)
{
    struct achi_room room;
    enum ach_status r;

    if (n > v->capacity)
        return ACH_OVERFLOW;
    r = achi_lock(v, &v->hdr->lock);
    if (r != ACH_OK)
        return r;
    r = make_room(v, n, &room);
    if (r == ACH_OK) {
        ACHI_STEP(PUT_COPY);
        achi_copy_in(room.place, buf, (size_t)n);
        publish(v, &room, n, origin);
    }
    achi_unlock(v, &v->hdr->lock);
    return r;
}

ACHI_NO_BUFFER enum ach_status achi_put(const struct achi_view *v, const void *buf, uint64_t n)
{
    return put_message(v, buf, n, NULL);
}

enum ach_status achi_put_origin(const struct achi_view *v, const void *buf, uint64_t n,
                                const struct achi_origin *origin)
{
    return put_message(v, buf, n, origin);
}

enum ach_status achi_room_take(const struct achi_view *v, uint64_t n, struct achi_room *room)
{
    enum ach_status r;

    if (n > v->capacity)
        return ACH_OVERFLOW;
    r = achi_lock(v, &v->hdr->lock);
    if (r != ACH_OK)
        return r;
    r = make_room(v, n, room);
    achi_unlock(v, &v->hdr->lock);
    return r;
}

enum ach_status achi_room_commit(const struct achi_view *v, const struct achi_room *room,
                                 uint64_t n)
{
    const struct achi_origin none = {0, 0, 0};
    enum ach_status r = achi_lock(v, &v->hdr->lock);

    if (r != ACH_OK)
        return r;
    if (achi_load(&v->hdr->state, PUT_STATE) == ACHI_REPLACED ||
        !ACHI_NAMES(achi_load(&v->hdr->commit, PUT_HEAD), room->seq - 1))
        r = ACH_CORRUPT;
    else
        publish(v, room, n, v->flags & ACHI_F_ORIGINS ? &none : NULL);
    achi_unlock(v, &v->hdr->lock);
    return r;
}
