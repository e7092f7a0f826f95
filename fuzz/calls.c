/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls.c - a channel against a model: the list of all messages ever put
 *
 * The model does not say which old messages are still there, for that depends
 * on the layout. It knows bounds: never more than frame_cnt messages, and
 * never fewer than fit into twice the capacity.
 */
#include <string.h>

#include "pattern.h"
#include "property.h"

#define NAME "fuzz-calls"
#define MESSAGES_MAX 2000u
#define READERS 3u
#define CAPACITY_MAX 4096u

struct model {
    size_t frame_cnt, capacity;
    size_t sizes[MESSAGES_MAX + 1]; /* by sequence; the first message has 1 */
    uint64_t newest;
    uint64_t kept; /* this message and later ones are certainly there */
};

struct reader {
    ach_channel_t chan;
    uint64_t seen, missed, received;
    int canceled;
};

struct world {
    struct model model;
    int single;
    ach_channel_t writer;
    struct reader readers[READERS];
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static size_t rounded(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

/* A message of this size needs room after the newest one. */
static void model_squeeze(struct model *m, size_t size)
{
    size_t sum = rounded(size);
    uint64_t seq = m->newest + 1;

    while (seq > larger(m->kept, 1) && sum + rounded(m->sizes[seq - 1]) <= 2 * rounded(m->capacity))
        sum += rounded(m->sizes[--seq]);
    m->kept = larger(m->kept, seq);
}

static void model_put(struct model *m, size_t size)
{
    model_squeeze(m, size);
    m->sizes[++m->newest] = size;
    if (m->newest > m->frame_cnt)
        m->kept = larger(m->kept, m->newest - m->frame_cnt + 1);
    m->kept = larger(m->kept, 1);
}

/* Which messages a get in order may deliver. */
static void model_range(const struct model *m, uint64_t seen, uint64_t *low, uint64_t *high)
{
    *low = seen + 1;
    if (m->newest > m->frame_cnt)
        *low = larger(*low, m->newest - m->frame_cnt + 1);
    *high = larger(*low, m->kept);
}

static size_t some_size(struct property_input *in, size_t capacity)
{
    unsigned b = property_byte(in);

    if (b < 128)
        return 1 + b % capacity;
    if (b < 140)
        return capacity;
    return 1 + (size_t)property_number(in, 2) % capacity;
}

static void put(struct world *w, struct property_input *in)
{
    static unsigned char buf[CAPACITY_MAX + 1];
    size_t n = some_size(in, w->model.capacity);

    if (w->model.newest == MESSAGES_MAX)
        return;
    pattern_fill(buf, n, 0, w->model.newest + 1);
    STATUS(ach_put(&w->writer, buf, n), ACH_MASK_OK);
    model_put(&w->model, n);
    STATUS(ach_put(&w->writer, buf, w->model.capacity + 1), ACH_MASK_OVERFLOW);
}

static void put_in_place(struct world *w, struct property_input *in)
{
    size_t room = some_size(in, w->model.capacity), n = 1 + property_byte(in) % room;
    void *p;

    if (w->model.newest == MESSAGES_MAX)
        return;
    STATUS(ach_reserve(&w->writer, room, &p), ACH_MASK_OK);
    HOLDS((uintptr_t)p % 16 == 0);
    model_squeeze(&w->model, room);
    pattern_fill(p, n, 0, w->model.newest + 1);
    if (property_byte(in) % 4 == 0) {
        STATUS(ach_abort(&w->writer), ACH_MASK_OK);
        STATUS(ach_commit(&w->writer, n), ACH_MASK_EINVAL);
        return;
    }
    STATUS(ach_commit(&w->writer, room + 1), ACH_MASK_EINVAL);
    STATUS(ach_commit(&w->writer, n), ACH_MASK_OK);
    model_put(&w->model, n);
}

/* A message came: is it the right one, whole, and are the counts right? */
static void check_message(const struct world *w, struct reader *r, enum ach_status s,
                          const unsigned char *bytes, size_t size, int options)
{
    uint64_t seq, low, high, counter, last, total;
    unsigned writer;

    STATUS(ach_channel_seq(&r->chan, &seq), ACH_MASK_OK);
    STATUS(ach_channel_missed(&r->chan, &last, &total), ACH_MASK_OK);
    HOLDS(seq >= 1 && seq <= w->model.newest && size == w->model.sizes[seq]);
    HOLDS(pattern_check(bytes, size, &writer, &counter) && writer == 0);
    HOLDS(counter == (seq & ((1ull << pattern_bits(size)) - 1)));
    if (seq == r->seen) {
        HOLDS((options & ACH_O_COPY) && seq == w->model.newest && s == ACH_OK);
        return;
    }
    model_range(&w->model, r->seen, &low, &high);
    if (options & ACH_O_LAST)
        low = high = w->model.newest;
    HOLDS(seq >= low && seq <= high);
    HOLDS(last == seq - r->seen - 1 && (s == ACH_MISSED_FRAME) == (last != 0));
    r->missed += last;
    r->received++;
    r->seen = seq;
    HOLDS(total == r->missed);
}

/* What a get that delivers nothing must say; ACH_OK if there is something. */
static enum ach_status expected(const struct world *w, const struct reader *r, int options)
{
    if (r->canceled)
        return ACH_CANCELED;
    if (w->model.newest > r->seen)
        return ACH_OK;
    if (options & ACH_O_WAIT)
        return ACH_TIMEOUT;
    return (options & ACH_O_COPY) && w->model.newest ? ACH_OK : ACH_EAGAIN;
}

/* The buffer was too small: for a message that could have been delivered? */
static void check_overflow(const struct world *w, const struct reader *r, size_t size, int options)
{
    uint64_t low, high;

    model_range(&w->model, r->seen, &low, &high);
    if ((options & ACH_O_LAST) || r->seen == w->model.newest)
        low = high = w->model.newest;
    while (low <= high && w->model.sizes[low] != size)
        low++;
    HOLDS(low <= high);
}

static int some_options(struct property_input *in)
{
    return (int)(property_byte(in) & (ACH_O_WAIT | ACH_O_LAST | ACH_O_COPY | ACH_O_LINKED)) |
           ACH_O_RELTIME;
}

static void get(struct world *w, struct reader *r, struct property_input *in)
{
    static unsigned char buf[CAPACITY_MAX];
    const struct timespec none = {0};
    int options = some_options(in);
    size_t room = property_byte(in) % 4 ? sizeof(buf) : property_byte(in), size = 0;
    enum ach_status want = expected(w, r, options);
    enum ach_status s = ach_get(&r->chan, buf, room, &size, &none, options);

    if (want != ACH_OK) {
        STATUS(s, ach_status_mask(want));
    } else if (s == ACH_OVERFLOW) {
        HOLDS(size > room);
        check_overflow(w, r, size, options);
    } else {
        STATUS(s, ACH_MASK_OK | ACH_MASK_MISSED_FRAME);
        check_message(w, r, s, buf, size, options);
    }
}

static void view(struct world *w, struct reader *r, struct property_input *in)
{
    const struct timespec none = {0};
    int options = some_options(in);
    const void *p = NULL;
    size_t size = 0;
    enum ach_status want = expected(w, r, options);
    enum ach_status s = ach_view(&r->chan, &p, &size, &none, options);

    if (want != ACH_OK) {
        STATUS(s, ach_status_mask(want));
        return;
    }
    STATUS(s, ACH_MASK_OK | ACH_MASK_MISSED_FRAME);
    check_message(w, r, s, p, size, options);
    STATUS(ach_view_check(&r->chan), ACH_MASK_OK);
}

static void flush(struct world *w, struct reader *r)
{
    if (STATUS(ach_flush(&r->chan), r->canceled ? ACH_MASK_CANCELED : ACH_MASK_OK) == ACH_OK)
        r->seen = w->model.newest;
}

static void toggle_cancel(struct reader *r)
{
    if (r->canceled)
        r->chan.cancel = 0;
    else
        STATUS(ach_cancel(&r->chan, NULL), ACH_MASK_OK);
    r->canceled = !r->canceled;
}

static void wait_all(struct world *w)
{
    ach_wait_item_t items[READERS];
    const struct timespec none = {0};
    int canceled = 0, news = 0;
    unsigned i;
    enum ach_status s;

    for (i = 0; i < READERS; i++) {
        items[i].chan = &w->readers[i].chan;
        canceled |= w->readers[i].canceled;
        news |= w->readers[i].seen < w->model.newest;
    }
    s = ach_wait(items, READERS, &none, ACH_O_RELTIME);
    HOLDS(s == (canceled ? ACH_CANCELED : news ? ACH_OK : ACH_TIMEOUT));
    for (i = 0; i < READERS && s == ACH_OK; i++)
        HOLDS(items[i].status == (w->readers[i].seen < w->model.newest ? ACH_OK : ACH_EAGAIN));
}

static void ask(struct world *w, struct reader *r)
{
    const struct model *m = &w->model;
    ach_info_t info;

    STATUS(ach_channel_info(&r->chan, &info), ACH_MASK_OK);
    HOLDS(info.newest == m->newest && info.capacity == m->capacity);
    HOLDS(info.oldest <= m->kept && info.newest - info.oldest < m->frame_cnt + !m->newest);
    HOLDS(info.missed == r->missed && info.received == r->received);
}

static void reader_open(struct reader *r, int readonly)
{
    ach_attr_t attr;

    memset(r, 0, sizeof(*r));
    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, readonly);
    STATUS(ach_open(&r->chan, NAME, &attr), ACH_MASK_OK);
}

static void world_make(struct world *w, struct property_input *in)
{
    ach_create_attr_t create;
    ach_attr_t attr;
    size_t frame_size;
    unsigned i;

    memset(w, 0, sizeof(*w));
    w->model.frame_cnt = 1 + property_byte(in) % 20;
    frame_size = 1 + property_byte(in) % 200;
    w->model.capacity = w->model.frame_cnt * frame_size;
    w->single = property_byte(in) % 2;
    ach_create_attr_init(&create);
    ach_create_attr_set_single_writer(&create, w->single);
    ach_create_attr_set_readonly_wake(&create, property_byte(in) % 2);
    STATUS(ach_create(NAME, w->model.frame_cnt, frame_size, &create), ACH_MASK_OK);
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, w->single);
    STATUS(ach_open(&w->writer, NAME, &attr), ACH_MASK_OK);
    for (i = 0; i < READERS; i++)
        reader_open(&w->readers[i], i == 1);
}

static void world_end(struct world *w)
{
    unsigned i;

    for (i = 0; i < READERS; i++)
        STATUS(ach_close(&w->readers[i].chan), ACH_MASK_OK);
    STATUS(ach_close(&w->writer), ACH_MASK_OK);
    STATUS(ach_unlink(NAME), ACH_MASK_OK);
}

static void one_call(struct world *w, struct property_input *in)
{
    unsigned b = property_byte(in), i = b / 16 % READERS;
    struct reader *r = &w->readers[i];

    switch (b % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
        put(w, in);
        break;
    case 4:
        put_in_place(w, in);
        break;
    case 5:
        flush(w, r);
        break;
    case 6:
        toggle_cancel(r);
        break;
    case 7:
        wait_all(w);
        break;
    case 8:
        ask(w, r);
        break;
    case 9:
        STATUS(ach_close(&r->chan), ACH_MASK_OK);
        reader_open(r, i == 1);
        break;
    case 10:
    case 11:
        view(w, r, in);
        break;
    default:
        get(w, r, in);
    }
}

void property_calls(const uint8_t *data, size_t size)
{
    static struct world w;
    struct property_input in = {data, data + size};

    world_make(&w, &in);
    while (in.at < in.end)
        one_call(&w, &in);
    world_end(&w);
}
