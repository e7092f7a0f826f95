/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world_check.c - check what a kill left
 *
 * Everything is checked while the killed process is still a zombie: other
 * processes must be able to use the channel at once, before it is reaped.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "world.h"

/* Less than the second after which a sleeper that was not woken checks by itself. */
#define ASLEEP_NS 50000000ull

static bool delivered(enum ach_status r)
{
    return r == ACH_OK || r == ACH_MISSED_FRAME;
}

/* Get a message, and compare it with what was put with its sequence number. */
static enum ach_status get_known(struct world *w, ach_channel_t *chan, int options, uint64_t *seq)
{
    static unsigned char got[WORLD_SIZE_MAX], want[WORLD_SIZE_MAX];
    size_t size = 0;
    struct timespec when;
    enum ach_status r = ach_get(chan, got, sizeof(got), &size, NULL, options);

    if (!delivered(r))
        return r;
    if (ach_channel_seq(chan, seq) != ACH_OK || *seq == 0 || *seq >= WORLD_MESSAGES_MAX)
        complain("sequence %llu", (unsigned long long)*seq);
    else if (size != w->said[*seq].size)
        complain("message %llu has %zu bytes, not %u", (unsigned long long)*seq, size,
                 w->said[*seq].size);
    else if (message_fill(want, &w->said[*seq]), memcmp(got, want, size) != 0)
        complain("message %llu is not what was put", (unsigned long long)*seq);
    if ((w->op->flags & W_TIMESTAMPS) &&
        (ach_channel_timestamp(chan, &when) != ACH_OK || when.tv_sec + when.tv_nsec == 0))
        complain("message %llu has no timestamp", (unsigned long long)*seq);
    return r;
}

/* Read everything: the sequence numbers are consecutive. */
static void read_all(struct world *w, ach_channel_t *chan, struct range *r)
{
    uint64_t seq = 0, missed;
    enum ach_status s;

    *r = (struct range){0};
    while (delivered(s = get_known(w, chan, 0, &seq))) {
        if (!r->oldest)
            r->oldest = seq;
        else if (seq != r->newest + 1)
            complain("message %llu follows %llu", (unsigned long long)seq,
                     (unsigned long long)r->newest);
        if (ach_channel_missed(chan, &missed, NULL) != ACH_OK || missed != seq - r->newest - 1 ||
            (missed != 0) != (s != ACH_OK))
            complain("%llu missed before message %llu", (unsigned long long)missed,
                     (unsigned long long)seq);
        r->newest = seq;
    }
    if (s != ACH_EAGAIN)
        complain("reading ends with %s", ach_result_to_string(s));
}

bool world_range(struct world *w, struct range *r)
{
    ach_channel_t chan;

    if (ach_open(&chan, WORLD_NAME, NULL) != ACH_OK)
        return false;
    read_all(w, &chan, r);
    ach_close(&chan);
    return true;
}

/* The handle opened before the operation gets the newest message at once (G1). */
static void check_newest(struct world *w, uint64_t newest)
{
    uint64_t seq = newest;
    enum ach_status want = newest == w->seen       ? ACH_EAGAIN
                           : newest == w->seen + 1 ? ACH_OK
                                                   : ACH_MISSED_FRAME;
    enum ach_status r = get_known(w, &w->before, ACH_O_LAST, &seq);

    if (r != want || seq != newest)
        complain("LAST gives %s, message %llu, not %llu", ach_result_to_string(r),
                 (unsigned long long)seq, (unsigned long long)newest);
}

/* A view shows its message intact, or ach_view_check reports that it does not (G2). */
static void check_viewers(struct world *w)
{
    static unsigned char want[WORLD_SIZE_MAX];
    unsigned i;

    for (i = 0; i < WORLD_VIEWERS; i++) {
        if (!w->viewers[i].priv || ach_view_check(&w->viewers[i]) != ACH_OK)
            continue;
        message_fill(want, &w->said[i]);
        if (memcmp(w->viewed[i], want, w->said[i].size) != 0)
            complain("message %u in place is damaged, and its viewer is not told", i);
    }
}

/* Put through one handle, get through another; the new message has the given sequence number. */
static void check_put(struct world *w, ach_channel_t *to, ach_channel_t *from, uint64_t seq,
                      unsigned size)
{
    static unsigned char buf[WORLD_SIZE_MAX];
    struct message *m = &w->said[seq];
    uint64_t got = 0;
    enum ach_status r;

    *m = (struct message){.tag = 5000 + seq, .size = size};
    message_fill(buf, m);
    r = ach_put(to, buf, m->size);
    if (r != ACH_OK)
        complain("a put afterwards gives %s", ach_result_to_string(r));
    r = get_known(w, from, 0, &got);
    if (r != ACH_OK || got != seq)
        complain("a get afterwards gives %s, message %llu, not %llu", ach_result_to_string(r),
                 (unsigned long long)got, (unsigned long long)seq);
}

static unsigned ring_size(const struct operation *op)
{
    unsigned capacity = op->frames * op->frame_size;

    return capacity > 100 ? 100 : capacity;
}

/* Both an old and a new handle put and get. fresh has seen everything up to newest. */
static void check_use(struct world *w, ach_channel_t *fresh, uint64_t newest)
{
    ach_channel_t source = *fresh;
    ach_attr_t attr;

    if (!(w->op->flags & W_SINGLE_WRITER)) {
        check_put(w, &w->before, fresh, newest + 1, 8);
        check_put(w, fresh, fresh, newest + 2, ring_size(w->op));
        return;
    }
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    if (ach_open(&source, WORLD_NAME, &attr) != ACH_OK) {
        complain("cannot become the source: %s", ach_errstr());
        return;
    }
    check_put(w, &source, fresh, newest + 1, ring_size(w->op));
    check_put(w, &source, fresh, newest + 2, 8);
    ach_close(&source);
}

void world_check_kept(struct world *w, const struct range *complete)
{
    unsigned newest = w->count + 1, i, oldest = 1;
    bool nominal = true;

    for (i = 1; i <= newest; i++)
        nominal = nominal && w->said[i].size <= w->op->frame_size;
    if (newest > w->op->frames)
        oldest = newest - w->op->frames + 1;
    if (complete->newest != newest)
        complain("the newest message is %llu, not %u", (unsigned long long)complete->newest,
                 newest);
    if (nominal && complete->oldest != oldest)
        complain("messages of the nominal size are kept from %llu, not from %u",
                 (unsigned long long)complete->oldest, oldest);
    if (complete->oldest > newest - (w->op->frames > 1 && w->count))
        complain("the newest message pushed out the one before");
}

/* A sleeping reader was woken if there is a message for it (G6). */
static void check_sleeper(struct world *w)
{
    uint64_t end = check_now_ns() + ASLEEP_NS;
    bool late = false;

    while (check_state(w->sleeper) == 'S') {
        if (late) {
            complain("the message is there, and its reader still sleeps");
            return;
        }
        late = check_now_ns() > end; /* then check once more */
        sched_yield();
    }
}

static void check_sleeper_ends(struct world *w)
{
    if (!check_child(w->sleeper, 20000))
        complain("the reader that slept did not get its message");
    w->sleeper = 0;
}

/* The new message is there or not; committed messages stay unless it had to evict them. */
static void check_range(struct world *w, const struct range *now, const struct range *complete)
{
    bool done = w->op->effect == EFFECT_PUT && now->newest == w->count + 1u;

    if (now->newest != w->count && !done)
        complain("the newest message is %llu, not %u", (unsigned long long)now->newest, w->count);
    if (done && now->oldest != complete->oldest)
        complain("the oldest message is %llu, not %llu", (unsigned long long)now->oldest,
                 (unsigned long long)complete->oldest);
    if (!done && (now->oldest < w->had.oldest || now->oldest > complete->oldest))
        complain("the oldest message is %llu, not %llu to %llu", (unsigned long long)now->oldest,
                 (unsigned long long)w->had.oldest, (unsigned long long)complete->oldest);
}

static void check_recovered(struct world *w, const ach_channel_t *chan)
{
    unsigned holders = w->op->company == HOLDER_DIES || w->op->company == HOLDER_DEAD;
    ach_info_t info;

    if (ach_channel_info(chan, &info) != ACH_OK || info.recovered > w->recovered + 1 + holders)
        complain("%llu recoveries", (unsigned long long)info.recovered);
}

/* The channel still has its messages, and works. */
static void check_channel(struct world *w, const struct range *complete)
{
    ach_channel_t fresh;
    struct range now;

    if (ach_open(&fresh, WORLD_NAME, NULL) != ACH_OK) {
        complain("cannot open the channel: %s", ach_errstr());
        return;
    }
    read_all(w, &fresh, &now);
    check_range(w, &now, complete);
    check_viewers(w);
    if (w->sleeper > 0 && now.newest > w->count)
        check_sleeper(w);
    check_newest(w, now.newest);
    check_use(w, &fresh, now.newest);
    check_recovered(w, &fresh);
    if (w->sleeper > 0) {
        check_sleeper(w);
        check_sleeper_ends(w);
    }
    ach_close(&fresh);
}

/* A channel that the operation created is complete and empty. */
static void check_new_channel(struct world *w, ach_channel_t *fresh)
{
    ach_channel_t old = w->before;
    ach_info_t info;
    uint64_t seq;

    if (ach_channel_info(fresh, &info) != ACH_OK || info.frame_cnt != w->op->frames ||
        info.frame_size != w->op->frame_size || info.newest != 0)
        complain("the new channel is not as it was made");
    if (get_known(w, fresh, 0, &seq) != ACH_EAGAIN)
        complain("the new channel is not empty");
    if (ach_open(&w->before, WORLD_NAME, NULL) != ACH_OK)
        complain("cannot open the new channel again: %s", ach_errstr());
    else
        check_use(w, fresh, 0);
    if (old.priv)
        ach_close(&old);
}

/* Is it the file of a channel, or the wake file of a channel that exists? */
static bool belongs(int dir, const char *file)
{
    static const char *const channels[] = {"achshm-" WORLD_NAME, "achshm-" WORLD_SPARE};
    char wake[64];
    size_t i;

    for (i = 0; i < sizeof(channels) / sizeof(channels[0]); i++) {
        if (strcmp(file, channels[i]) == 0)
            return true;
        snprintf(wake, sizeof(wake), ".%s.wake", channels[i]);
        if (strcmp(file, wake) == 0)
            return faccessat(dir, channels[i], F_OK, 0) == 0;
    }
    return false;
}

/* The directory contains only channels. Remove anything else, for the next kill point. */
static void check_directory(const char *when)
{
    DIR *dir = opendir(getenv("ACH_DIR"));
    struct dirent *e;

    if (!dir) {
        complain("cannot look into ACH_DIR");
        return;
    }
    while ((e = readdir(dir)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            !belongs(dirfd(dir), e->d_name)) {
            complain("%s was left behind%s", e->d_name, when);
            unlinkat(dirfd(dir), e->d_name, 0);
        }
    closedir(dir);
}

static void check_create(struct world *w)
{
    ach_channel_t fresh;
    enum ach_status r = ach_open(&fresh, WORLD_NAME, NULL);

    if (r == ACH_ENOENT) {
        check_directory(" without its channel");
        if (ach_create(WORLD_NAME, w->op->frames, w->op->frame_size, NULL) != ACH_OK)
            complain("cannot create after all: %s", ach_errstr());
        r = ach_open(&fresh, WORLD_NAME, NULL);
    }
    if (r != ACH_OK) {
        complain("cannot open the channel: %s", ach_errstr());
        return;
    }
    check_new_channel(w, &fresh);
    ach_close(&fresh);
}

/* The name always refers to a channel; if to the new one, the old one returns ACH_CORRUPT. */
static void check_replace(struct world *w, const struct range *complete)
{
    ach_channel_t fresh;
    ach_info_t info;
    uint64_t seq;
    enum ach_status r;

    if (ach_open(&fresh, WORLD_NAME, NULL) != ACH_OK) {
        complain("there is no channel: %s", ach_errstr());
        return;
    }
    if (ach_channel_info(&fresh, &info) != ACH_OK)
        complain("the channel has no information");
    if (info.inode == w->inode) {
        check_channel(w, complete);
    } else {
        while ((r = get_known(w, &w->before, 0, &seq)) == ACH_OK)
            ;
        if (r != ACH_CORRUPT)
            complain("the old channel gives %s", ach_result_to_string(r));
        check_new_channel(w, &fresh);
    }
    ach_close(&fresh);
}

/* The name exists or not; open handles work either way, and the name can be used again. */
static void check_unlink(struct world *w, const struct range *complete)
{
    ach_channel_t fresh;
    enum ach_status r = ach_open(&fresh, WORLD_NAME, NULL);

    if (r == ACH_OK) {
        ach_close(&fresh);
        check_channel(w, complete);
        return;
    }
    if (r != ACH_ENOENT)
        complain("the name is not gone but %s", ach_result_to_string(r));
    check_directory(" without its channel");
    check_newest(w, w->count);
    check_put(w, &w->before, &w->before, w->count + 1, 100);
    if (ach_create(WORLD_NAME, 4, 64, NULL) != ACH_OK)
        complain("the name cannot be used again: %s", ach_errstr());
}

/*
 * Replacing a channel atomically needs a temporary second name. A process killed
 * meanwhile leaves that name, and the next replacement removes it.
 */
static void check_left_over(struct world *w)
{
    ach_create_attr_t attr;

    if (w->op->effect != EFFECT_REPLACE) {
        check_directory("");
        return;
    }
    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    if (ach_create(WORLD_NAME, 4, 64, &attr) != ACH_OK)
        complain("cannot replace the channel again: %s", ach_errstr());
    check_directory(" and not removed by the next one");
}

void world_check(struct world *w, const struct range *complete)
{
    if (w->op->company == HOLDER && !trace_ended_well(&w->holder))
        complain("the writer that held the lock did not finish its put");
    switch (w->op->effect) {
    case EFFECT_NONE:
    case EFFECT_PUT:
        check_channel(w, complete);
        break;
    case EFFECT_CREATE:
        check_create(w);
        break;
    case EFFECT_REPLACE:
        check_replace(w, complete);
        break;
    case EFFECT_UNLINK:
        check_unlink(w, complete);
        break;
    }
    check_left_over(w);
}
