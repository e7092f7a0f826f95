/* SPDX-License-Identifier: BSD-3-Clause */
/* random_actor.c - the roles: writers and readers that run until they are killed */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include <check.h>
#include <lower.h>

#include "random.h"

/* Lock timeout of puts: enough for live writers. A dead owner's lock is released much earlier. */
#define PATIENT_NS check_time(20000000000ull)

static bool delivered(enum ach_status s)
{
    return s == ACH_OK || s == ACH_MISSED_FRAME;
}

static void actor_open(struct reader *r, const struct actor *a)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_lock_timeout(&attr, PATIENT_NS);
    ach_attr_set_readonly(&attr, a->role == READ_ONLY_WAIT);
    ach_attr_set_lock_source(&attr, a->role == WRITER && common->geometry.single_writer);
    r->buf = malloc(SIZE_LIMIT);
    if (!r->buf || ach_open(&r->chan, CHANNEL, &attr) != ACH_OK) {
        fault("an actor cannot open the channel: %s", ach_errstr());
        _exit(1);
    }
}

static enum ach_status put_reserved(struct reader *r, const unsigned char *buf, unsigned size)
{
    void *p;
    enum ach_status s = ach_reserve(&r->chan, size, &p);

    if (s != ACH_OK)
        return s;
    memcpy(p, buf, size);
    return ach_commit(&r->chan, size);
}

static void write_on(struct actor *a, struct reader *r)
{
    static unsigned char message[SIZE_LIMIT];
    struct origin o = {.slot = a->slot, .life = a->life};
    uint64_t random = a->slot + 31u * a->life;

    for (o.count = 1;; o.count++) {
        unsigned size = origin_size(&o), chance = (unsigned)(check_random(&random) % 64);
        enum ach_status s;

        origin_fill(message, &o);
        s = chance < 16 ? put_reserved(r, message, size) : ach_put(&r->chan, message, size);
        if (s != ACH_OK) {
            fault("a put gives %s", ach_result_to_string(s));
            _exit(1);
        }
        __atomic_store_n(&common->writers[a->slot].done, o.count, __ATOMIC_RELEASE);
        if (chance % 8 == 0)
            reader_get_newest(r, r->seq + 1); /* its own message at least */
        if (chance % 4 == 1)
            usleep((useconds_t)(check_random(&random) % 200));
    }
}

static void read_on(struct actor *a, struct reader *r, int options)
{
    const struct timespec limit = {.tv_sec = 60};

    for (;;) {
        size_t size;
        enum ach_status s = ach_get(&r->chan, r->buf, SIZE_LIMIT, &size, &limit, options);

        if (delivered(s)) {
            reader_check(r, s, size);
            __atomic_store_n(&a->seen, r->seq, __ATOMIC_RELEASE);
        } else if (s == ACH_EAGAIN && !(options & ACH_O_WAIT)) {
            sched_yield();
        } else {
            fault("a get gives %s", ach_result_to_string(s));
            _exit(1);
        }
    }
}

static void read_newest_on(struct reader *r)
{
    for (;;) {
        if (reader_get_newest(r, 0) == ACH_EAGAIN)
            sched_yield();
    }
}

static void view_on(struct reader *r)
{
    for (;;) {
        const void *p;
        size_t size;
        enum ach_status s = ach_view(&r->chan, &p, &size, NULL, ACH_O_LAST);

        if (s == ACH_EAGAIN) {
            sched_yield();
            continue;
        }
        if (!delivered(s) || size > SIZE_LIMIT) {
            fault("a view gives %s", ach_result_to_string(s));
            _exit(1);
        }
        memcpy(r->buf, p, size);
        if (ach_view_check(&r->chan) == ACH_OK) {
            reader_check(r, s, size);
        } else {
            ach_channel_seq(&r->chan, &r->seq);
            r->gaps++;
            __atomic_fetch_add(&common->views_lost, 1, __ATOMIC_RELAXED);
        }
    }
}

static void lower_on(const struct reader *r)
{
    uint64_t random = (uint64_t)getpid();

    for (;;) {
        lower_flag(&r->chan, false);
        usleep((useconds_t)(check_random(&random) % 20));
    }
}

void actor_run(struct actor *a)
{
    static struct reader r;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    actor_open(&r, a);
    switch (a->role) {
    case WRITER:
        write_on(a, &r);
        break;
    case READ_FIRST:
        read_on(a, &r, 0);
        break;
    case READ_LAST:
        read_newest_on(&r);
        break;
    case LOWER:
        lower_on(&r);
        break;
    case READ_WAIT_LAST:
        read_on(a, &r, ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME);
        break;
    case READ_WAIT:
    case READ_ONLY_WAIT:
        read_on(a, &r, ACH_O_WAIT | ACH_O_RELTIME);
        break;
    case READ_VIEW:
        view_on(&r);
        break;
    }
    _exit(1);
}
