/* SPDX-License-Identifier: BSD-3-Clause */
/* random_message.c - messages that name their writer, and the checks of them */
#include <stdarg.h>
#include <string.h>

#include <check.h>

#include "random.h"

#define FAULTS_SAID 20u

struct common *common;

void fault(const char *format, ...)
{
    char text[256];
    va_list args;

    if (__atomic_fetch_add(&common->faults, 1, __ATOMIC_RELAXED) >= FAULTS_SAID)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(stderr, "%u x %u: %s\n", common->geometry.frames, common->geometry.frame_size, text);
}

static uint64_t seed_of(const struct origin *o)
{
    uint64_t seed = ((uint64_t)o->slot << 56) ^ ((uint64_t)o->life << 32) ^ o->count;

    return check_random(&seed);
}

unsigned origin_size(const struct origin *o)
{
    const struct geometry *g = &common->geometry;
    unsigned capacity = g->frames * g->frame_size, limit = capacity;
    uint64_t state = seed_of(o);

    switch (check_random(&state) % 10) {
    case 0:
        return capacity;
    case 1:
        break;
    case 2:
    case 3:
    case 4:
        limit = g->frame_size;
        break;
    default:
        limit = 80;
        break;
    }
    if (limit > capacity)
        limit = capacity;
    if (limit <= SIZE_MIN)
        return SIZE_MIN;
    return SIZE_MIN + (unsigned)(check_random(&state) % (limit - SIZE_MIN + 1));
}

void origin_fill(unsigned char *buf, const struct origin *o)
{
    unsigned size = origin_size(o), i;
    uint64_t state = ~seed_of(o);

    memcpy(buf, o, SIZE_MIN);
    for (i = SIZE_MIN; i < size; i += 8) {
        uint64_t word = check_random(&state);

        memcpy(buf + i, &word, size - i < 8 ? size - i : 8);
    }
}

bool origin_read(struct origin *o, const unsigned char *buf, size_t size)
{
    static unsigned char want[SIZE_LIMIT];

    if (size < SIZE_MIN)
        return false;
    memcpy(o, buf, SIZE_MIN);
    if (o->slot >= WRITERS_MAX || size != origin_size(o))
        return false;
    origin_fill(want, o);
    return memcmp(buf, want, size) == 0;
}

void newest_note(uint64_t seq)
{
    uint64_t old = __atomic_load_n(&common->newest, __ATOMIC_ACQUIRE);

    while (old < seq && !__atomic_compare_exchange_n(&common->newest, &old, seq, 0,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

/* Unless a gap was reported, a writer's messages are consecutive, also across its death. */
static void check_order(struct reader *r, const struct origin *o)
{
    const struct origin *last = &r->of[o->slot].last;
    bool known = last->count != 0, whole = r->of[o->slot].gaps == r->gaps;
    uint64_t final;

    if (known && (o->life < last->life || (o->life == last->life && o->count <= last->count)))
        fault("writer %u: %u/%llu comes after %u/%llu", o->slot, o->life,
              (unsigned long long)o->count, last->life, (unsigned long long)last->count);
    else if (known && whole && o->life == last->life && o->count != last->count + 1)
        fault("writer %u: %llu comes after %llu, and no gap was reported", o->slot,
              (unsigned long long)o->count, (unsigned long long)last->count);
    if (!known || !whole || o->life != last->life + 1)
        return;
    final = __atomic_load_n(&common->writers[o->slot].final[last->life % LIVES], __ATOMIC_ACQUIRE);
    if (o->count != 1 || last->count < final || last->count > final + 1)
        fault("writer %u died after putting %llu, seen are %llu and then %llu of its next life",
              o->slot, (unsigned long long) final, (unsigned long long)last->count,
              (unsigned long long)o->count);
}

void reader_check(struct reader *r, enum ach_status status, size_t size)
{
    uint64_t seq = 0, missed = 0;
    struct origin o;

    if (ach_channel_seq(&r->chan, &seq) != ACH_OK ||
        ach_channel_missed(&r->chan, &missed, NULL) != ACH_OK || seq <= r->seq ||
        missed != seq - r->seq - 1 || (missed == 0) != (status == ACH_OK))
        fault("message %llu after %llu, %llu missed, %s", (unsigned long long)seq,
              (unsigned long long)r->seq, (unsigned long long)missed, ach_result_to_string(status));
    r->seq = seq;
    r->gaps += missed;
    if (!origin_read(&o, r->buf, size)) {
        fault("message %llu of %zu bytes is not what anybody put", (unsigned long long)seq, size);
        return;
    }
    check_order(r, &o);
    r->of[o.slot].last = o;
    r->of[o.slot].gaps = r->gaps;
    newest_note(seq);
    __atomic_fetch_add(&common->checked, 1, __ATOMIC_RELAXED);
}

/* ACH_EAGAIN is correct if nothing is new, or if writers overtook the reader in every try. */
static void check_nothing_new(struct reader *r, uint64_t newest, uint64_t overtaken)
{
    ach_info_t info;

    if (newest <= r->seq)
        return;
    if (ach_channel_info(&r->chan, &info) != ACH_OK || info.overtaken <= overtaken)
        fault("nothing new after %llu, but there was %llu before", (unsigned long long)r->seq,
              (unsigned long long)newest);
}

enum ach_status reader_get_newest(struct reader *r, uint64_t at_least)
{
    uint64_t newest = __atomic_load_n(&common->newest, __ATOMIC_ACQUIRE);
    ach_info_t info;
    enum ach_status s;
    size_t size;

    if (newest < at_least)
        newest = at_least;
    if (ach_channel_info(&r->chan, &info) != ACH_OK)
        fault("no information");
    s = ach_get(&r->chan, r->buf, SIZE_LIMIT, &size, NULL, ACH_O_LAST);
    if (s == ACH_EAGAIN) {
        check_nothing_new(r, newest, info.overtaken);
        return s;
    }
    if (s != ACH_OK && s != ACH_MISSED_FRAME) {
        fault("a get of the newest gives %s", ach_result_to_string(s));
        return s;
    }
    reader_check(r, s, size);
    if (r->seq < newest)
        fault("the newest message is %llu, but there was %llu before", (unsigned long long)r->seq,
              (unsigned long long)newest);
    return s;
}
