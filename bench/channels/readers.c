/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers.c - a put costs the same while somebody reads
 *
 * In steps. The writer puts a message of 4 MiB in place and names the step.
 * The reader, on another core, says that it starts, copies that message with
 * ach_get, and says that it is done. Once the reader has started, and a pause
 * later is deep in its copy, the writer puts messages of 64 B into the same
 * channel and times them, until the reader is done or the channel's slots run
 * short. No put needs the bytes of the copy, so it ends well.
 *
 * A step counts if the copy ended well and a put began while it was under way.
 * Neither is certain: the reader may be held up before it looks for the newest
 * message, and then finds a small one; the writer may be held up until the
 * reader is done. Steps go on until enough of them count.
 *
 * A copy costs the writer a few puts that wait for one cache line each: the
 * commit word's, and later that of the entry the reader looked at, with its
 * neighbours that the machine fetched unasked. Nothing else is slower.
 *
 * The same steps without a reader are the floor. Beside it stands a process
 * that copies as much memory which has nothing to do with the channel: what the
 * machine itself charges for a busy neighbour. As a control, the reader takes a
 * mutex around its copy and the writer one around its put: if that does not
 * show, the measurement is blind.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "ticks.h"

#define BIG (4u * 1024u * 1024u)
#define FRAMES 512u
#define FRAME_SIZE (32u * 1024u)
#define STEPS 80u
#define PUTS_PER_STEP 1000u /* fewer than the channel has slots: 1024 */
#define DEEP_NS 5000.0
#define WARM_UP 8u /* steps: once around the ring */
#define PATIENCE_NS 60000000000u
#define NO_MORE UINT64_MAX

enum kind { ALONE, ELSEWHERE, FREE, LOCKING };

struct talk {
    uint64_t step APART;    /* the writer: this step's message is the newest; or NO_MORE */
    uint64_t started APART; /* the reader: is about to copy it */
    uint64_t done APART;    /* the reader: the copy has ended */
    uint64_t whole;         /* the reader: the last step whose copy ended well */
    pthread_mutex_t mutex APART;
};

struct readers {
    ach_channel_t chan;
    enum kind kind;
    struct talk *talk; /* shared */
    unsigned char message[MESSAGE_SIZE];
    unsigned char *to, *from; /* the reader's: where it copies to and, if kind is ELSEWHERE, from */
};

static void put_big(struct readers *r, bool fill)
{
    void *place;

    MUST_ACH(ach_reserve(&r->chan, BIG, &place));
    if (fill)
        memset(place, 1, BIG);
    MUST_ACH(ach_commit(&r->chan, BIG));
}

/* op->variant: a kind. */
static void *setup(const struct op *op)
{
    struct readers *r = private_alloc(sizeof(*r));
    int i;

    r->kind = (enum kind)op->variant;
    r->talk = shared_alloc(sizeof(*r->talk));
    mutex_init(&r->talk->mutex, false);
    channel_make("copied", FRAMES, FRAME_SIZE, true);
    channel_open(&r->chan, "copied", true, 0);
    for (i = 0; i < (int)(2 * FRAMES * FRAME_SIZE / BIG); i++)
        put_big(r, true);
    return r;
}

static bool copy_big(struct readers *r, ach_channel_t *chan)
{
    enum ach_status status;
    size_t size = 0;

    if (r->kind == ELSEWHERE) {
        memcpy(r->to, r->from, BIG);
        memory_changes();
        return true;
    }
    status = ach_get(chan, r->to, BIG, &size, NULL, ACH_O_LAST);
    return size == BIG && (status == ACH_OK || status == ACH_MISSED_FRAME);
}

static void read_step(struct readers *r, ach_channel_t *chan, uint64_t step)
{
    struct talk *t = r->talk;

    if (r->kind == LOCKING)
        pthread_mutex_lock(&t->mutex);
    __atomic_store_n(&t->started, step, __ATOMIC_RELEASE);
    if (copy_big(r, chan))
        t->whole = step;
    __atomic_store_n(&t->done, step, __ATOMIC_RELEASE);
    if (r->kind == LOCKING)
        pthread_mutex_unlock(&t->mutex);
}

static void reader_main(void *arg)
{
    struct readers *r = arg;
    ach_channel_t chan;
    uint64_t step;

    r->to = private_alloc(BIG);
    r->from = private_alloc(BIG);
    channel_open(&chan, "copied", false, 0);
    peer_ready();
    for (step = 1;; step++) {
        spin_until(&r->talk->step, step);
        if (__atomic_load_n(&r->talk->step, __ATOMIC_ACQUIRE) == NO_MORE)
            break;
        read_step(r, &chan, step);
    }
    ach_close(&chan);
}

static double timed_puts(struct readers *r, unsigned n)
{
    uint64_t start = ticks();
    unsigned i;

    for (i = 0; i < n; i++) {
        if (r->kind == LOCKING)
            pthread_mutex_lock(&r->talk->mutex);
        if (ach_put(&r->chan, r->message, sizeof(r->message)) != ACH_OK)
            abort();
        if (r->kind == LOCKING)
            pthread_mutex_unlock(&r->talk->mutex);
    }
    return ticks_to_ns(start, ticks()) / n;
}

/* Time puts while the reader copies. Leaves nothing in out if the step does not count. */
static void write_step(struct readers *r, uint64_t step, struct samples *out)
{
    unsigned i, group = ticks_group();
    struct talk *t = r->talk;

    put_big(r, false);
    __atomic_store_n(&t->step, step, __ATOMIC_RELEASE);
    if (r->kind != ALONE)
        spin_until(&t->started, step);
    ticks_pause(DEEP_NS);
    for (i = 0; i + group <= PUTS_PER_STEP; i += group) {
        if (__atomic_load_n(&t->done, __ATOMIC_ACQUIRE) >= step)
            break;
        samples_add(out, timed_puts(r, group));
    }
    if (r->kind == ALONE)
        return;
    spin_until(&t->done, step);
    if (t->whole != step)
        out->count = 0;
}

static void write_steps(struct readers *r, unsigned wanted, struct samples *out)
{
    uint64_t start = clock_ns(), step;
    unsigned good = 0;

    for (step = 1; good < wanted; step++) {
        struct samples of_step = {0};

        write_step(r, step, &of_step);
        if (step > WARM_UP) {
            good += of_step.count > 0;
            samples_append(out, &of_step);
        }
        samples_finish(&of_step);
        if (clock_ns() - start > PATIENCE_NS)
            attempt_fail("only in %u of %llu steps a put began while a copy was under way that "
                         "ended well",
                         good, (unsigned long long)step);
    }
}

static void run(void *state, struct outcome *once)
{
    struct readers *r = state;
    pid_t peer = 0;

    if (r->kind != ALONE)
        peer = peer_start(reader_main, r);
    write_steps(r, scaled(STEPS, 10), &once->ns);
    __atomic_store_n(&r->talk->step, NO_MORE, __ATOMIC_RELEASE);
    if (r->kind != ALONE)
        peer_join(peer);
}

#define OF(kind_) .setup = setup, .run = run, .variant = (kind_)

const struct op readers_ops[] = {
    {OF(ALONE), .name = "put 64 B, no reader"},
    {OF(ELSEWHERE), .name = "put 64 B, 4 MiB copied elsewhere"},
    {OF(FREE), .name = "put 64 B, reader copies 4 MiB"},
    {OF(LOCKING), .name = "control: reader locks its copy"},
    {0},
};
