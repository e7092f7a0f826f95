/* SPDX-License-Identifier: BSD-3-Clause */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "complain.h"
#include "filelock.h"

#define CHANNELS 65536u      /* ids that a file can have */
#define PIECE 4000000u       /* ns of reading in a turn */
#define TELL_EVERY 50000000u /* ns */
#define END_NEAR 1000000u    /* ns before the end that playing begins anew */

static struct recording *recording_of(const struct view_hub *h)
{
    return h->state;
}

static void recording_tell(struct recording *r)
{
    const struct view_clock clock = {
        .time = r->now, .start = r->start, .end = r->end, .speed = r->speed, .paused = r->paused};

    r->told = view_now();
    view_hub_clock(r->hub, &clock);
}

/* Clients that come later are told the same. False: it was told. */
static bool recording_trouble(struct recording *r, const char *sentence)
{
    char text[sizeof(r->hub->trouble)];

    snprintf(text, sizeof(text), "%s: %s", r->hub->options->file, sentence);
    if (strcmp(r->hub->trouble, text) == 0)
        return false;
    memcpy(r->hub->trouble, text, sizeof(text));
    view_hub_status(r->hub, VIEW_WARNING, text);
    return true;
}

/* Seeks find more and more: tell when it is twice as much. */
static void recording_damage(struct recording *r)
{
    char text[400];
    const char *why;
    const uint64_t bad = mcap_reader_damage(r->reader, &why);

    if (bad <= r->bad || bad < 2 * r->bad)
        return;
    r->bad = bad;
    if (bad == 1)
        snprintf(text, sizeof(text), "%s. What was in it is missing", why);
    else
        snprintf(text, sizeof(text),
                 "%" PRIu64
                 " chunks or records are bad. What was in them is missing. One of them: %s",
                 bad, why);
    recording_trouble(r, text);
}

/* A file that ends early may be one that somebody writes. */
static const char *recording_why(const struct recording *r, enum mcap_result result)
{
    return result == MCAP_CUT && filelock_held(r->fd)
               ? "it is being recorded, so it has no end yet; what comes later is not shown"
               : mcap_reader_error(r->reader);
}

/* Read the next message, if none is read already. */
static bool recording_read(struct recording *r)
{
    enum mcap_result result;

    if (r->has_next)
        return true;
    if (r->ended)
        return false;
    result = mcap_reader_next(r->reader, &r->next);
    r->has_next = result == MCAP_OK;
    r->ended = !r->has_next;
    recording_damage(r);
    if (result == MCAP_CUT || (result == MCAP_BAD && !r->bad))
        recording_trouble(r, recording_why(r, result));
    return r->has_next;
}

/* False: the file cannot be read there. */
static bool recording_move(struct recording *r, uint64_t time)
{
    r->has_next = r->ended = false;
    if (mcap_reader_seek(r->reader, time))
        return true;
    r->ended = true;
    recording_trouble(r, mcap_reader_error(r->reader));
    return false;
}

static struct recording_topic *recording_wanted(struct recording *r)
{
    struct recording_topic *t = &r->topics[r->next.channel];

    return t->topic && t->wanted ? t : NULL;
}

static void recording_send(struct recording *r, struct view_topic *topic, uint64_t time,
                           uint32_t sequence, const void *data, size_t size)
{
    struct view_message m = {
        .topic = topic, .sequence = sequence, .put = (int64_t)time, .data = data, .size = size};

    view_hub_message(r->hub, &m);
}

static void recording_show_next(struct recording *r)
{
    struct recording_topic *t = recording_wanted(r);

    r->has_next = false;
    if (t)
        recording_send(r, t->topic, r->next.log_time, r->next.sequence, r->next.data, r->next.size);
}

/* Is the newest message of this topic up to now to be shown? */
static bool recording_sought(const struct recording *r, const struct recording_topic *t)
{
    return t->topic && t->wanted && (t->fresh || r->sought);
}

static void recording_keep_next(struct recording *r)
{
    struct recording_topic *t = &r->topics[r->next.channel];

    r->has_next = false;
    if (!recording_sought(r, t) || (t->newest && t->time > r->next.log_time))
        return;
    view_blob_unref(t->newest);
    t->newest = view_blob_copy(r->next.data, r->next.size);
    t->time = r->next.log_time;
    t->sequence = r->next.sequence;
}

static void recording_show_kept(struct recording *r)
{
    size_t i;

    for (i = 0; i < CHANNELS; i++) {
        struct recording_topic *t = &r->topics[i];
        struct view_blob *newest = t->newest;

        t->newest = NULL;
        t->fresh = false;
        if (newest && t->topic && t->wanted)
            recording_send(r, t->topic, t->time, t->sequence, newest->bytes, newest->size);
        view_blob_unref(newest);
    }
}

/* False: the time of this turn is over. */
static bool recording_until(struct recording *r, uint64_t time, bool keep)
{
    const uint64_t begin = view_now();

    while (recording_read(r) && r->next.log_time <= time) {
        if (keep)
            recording_keep_next(r);
        else
            recording_show_next(r);
        if (view_now() - begin > PIECE)
            return false;
    }
    return true;
}

/* The next chunk to be read for a topic. False: there is none. */
static bool recording_chunk(struct recording *r)
{
    struct recording_search *s = &r->search;
    const struct recording_search before = *s;

    if (!mcap_reader_chunk(r->reader, (uint16_t)s->channel, s->up_to, &s->first, &s->last))
        return false;
    if (before.read && s->first == before.first && s->last <= before.last)
        s->last = before.last;
    else
        s->reading = recording_move(r, s->first);
    s->read = true;
    return true;
}

/* Chunks may have later messages of the topic only. False: the time of this turn is over. */
static bool recording_search_topic(struct recording *r, const struct recording_topic *t)
{
    struct recording_search *s = &r->search;

    while (s->reading || recording_chunk(r)) {
        if (s->reading && !recording_until(r, s->last < r->now ? s->last : r->now, true))
            return false;
        s->reading = false;
        if ((t->newest && t->time >= s->first) || s->first == 0)
            break;
        s->up_to = s->first - 1;
    }
    s->up_to = r->now;
    return true;
}

static bool recording_search(struct recording *r)
{
    const uint64_t begin = view_now();

    for (; r->search.channel < CHANNELS; r->search.channel++) {
        const struct recording_topic *t = &r->topics[r->search.channel];

        if (recording_sought(r, t) && (view_now() - begin > PIECE || !recording_search_topic(r, t)))
            return false;
    }
    return true;
}

/* What there is up to now. False: the time of this turn is over. */
static bool recording_find(struct recording *r)
{
    if (!mcap_reader_indexed(r->reader))
        return recording_until(r, r->now, true);
    if (!recording_search(r))
        return false;
    recording_move(r, r->now < UINT64_MAX ? r->now + 1 : r->now);
    return true;
}

static void recording_anchor(struct recording *r)
{
    r->played_from = r->now;
    r->played_at = view_now();
}

static uint64_t recording_due(const struct recording *r)
{
    double played = (double)(view_now() - r->played_at) * r->speed;
    uint64_t left = r->end - r->played_from;

    return played >= (double)left ? r->end : r->played_from + (uint64_t)played;
}

/* The next message, or the next time to tell. */
static void recording_arm(struct recording *r)
{
    uint64_t next = r->told + TELL_EVERY;

    if (r->paused)
        return;
    if (r->has_next && r->next.log_time > r->now) {
        double wait = (double)(r->next.log_time - r->now) / r->speed;

        if (wait < TELL_EVERY && view_now() + (uint64_t)wait < next)
            next = view_now() + (uint64_t)wait;
    }
    view_timer_set(r->hub->loop, &r->timer, next);
}

static void recording_play(struct recording *r)
{
    uint64_t due = recording_due(r);
    bool all = recording_until(r, due, false);

    r->now = all ? due : r->next.log_time;
    if (!all)
        recording_anchor(r); /* late: go on from here */
    if (all && r->now >= r->end)
        r->paused = true;
    if (r->paused || view_now() - r->told >= TELL_EVERY)
        recording_tell(r);
    if (all)
        recording_arm(r);
    else
        view_timer_set(r->hub->loop, &r->timer, view_now());
}

/* To the next message that somebody reads. */
static void recording_step(struct recording *r)
{
    const uint64_t begin = view_now();

    while (recording_read(r) && !recording_wanted(r)) {
        r->has_next = false;
        if (view_now() - begin > PIECE) {
            view_timer_set(r->hub->loop, &r->timer, view_now());
            return;
        }
    }
    r->stepping = false;
    if (r->has_next) {
        r->now = r->next.log_time;
        recording_show_next(r);
    }
    recording_tell(r);
}

static void recording_turn(void *context)
{
    struct recording *r = context;

    if (r->seeking && !recording_find(r)) {
        view_timer_set(r->hub->loop, &r->timer, view_now());
        return;
    }
    if (r->seeking) {
        recording_anchor(r);
        recording_tell(r);
        if (r->sought)
            view_hub_forget(r->hub);
        recording_show_kept(r);
        if (r->sought)
            view_hub_sought(r->hub);
        r->seeking = r->sought = false;
    }
    if (r->stepping)
        recording_step(r);
    else if (!r->paused)
        recording_play(r);
}

/* Read what there is up to now. */
static void recording_look(struct recording *r)
{
    r->search = (struct recording_search){.up_to = r->now};
    recording_move(r, r->start);
    r->seeking = true;
    view_timer_set(r->hub->loop, &r->timer, view_now());
}

/* What an unfinished search has kept is of another time. */
static void recording_forget(struct recording *r)
{
    size_t i;

    for (i = 0; i < CHANNELS; i++) {
        view_blob_unref(r->topics[i].newest);
        r->topics[i].newest = NULL;
    }
}

static void recording_seek(struct recording *r, uint64_t time)
{
    r->now = time < r->start ? r->start : time > r->end ? r->end : time;
    r->sought = true;
    recording_forget(r);
    recording_look(r);
}

static void recording_control(struct view_hub *h, enum view_control control, double value)
{
    struct recording *r = recording_of(h);

    if (control == VIEW_SEEK) {
        recording_seek(r, value > 0 ? (uint64_t)(value * 1e9) : 0);
        return;
    }
    if (control == VIEW_PLAY && value > 0)
        r->speed = value;
    r->paused = control != VIEW_PLAY;
    r->stepping = control == VIEW_STEP;
    if (!r->paused && (r->now >= r->end || r->end - r->now < END_NEAR))
        recording_seek(r, r->start);
    recording_anchor(r);
    recording_tell(r);
    view_timer_set(h->loop, &r->timer, view_now());
}

static struct mcap_text recording_text(const char *text)
{
    return (struct mcap_text){.at = text, .size = strlen(text)};
}

static void recording_added(struct recording_topic *t, uint64_t count)
{
    if (!t->topic)
        return;
    t->topic->source = t;
    t->topic->recorded = count ? count : t->count;
}

static void recording_add(struct recording *r, const struct mcap_channel *c)
{
    const struct mcap_schema *s = mcap_reader_schema(r->reader, c->schema);
    struct mcap_text none = recording_text("");
    struct mcap_text texts[] = {c->topic, c->encoding, s ? s->name : none, s ? s->encoding : none};
    char *copies[4];
    size_t i;

    for (i = 0; i < 4; i++)
        copies[i] = strndup(texts[i].at, texts[i].size);
    if (copies[0] && copies[1] && copies[2] && copies[3]) {
        const struct view_topic_type type = {.name = copies[0],
                                             .channel = copies[0],
                                             .encoding = copies[1],
                                             .schema_name = copies[2],
                                             .schema_encoding = copies[3],
                                             .schema = s ? s->data : NULL,
                                             .schema_size = s ? s->size : 0};

        r->topics[c->id].topic = view_hub_add(r->hub, &type);
        recording_added(&r->topics[c->id], mcap_reader_count(r->reader, c->id));
    }
    for (i = 0; i < 4; i++)
        free(copies[i]);
}

static bool recording_start(struct view_hub *h)
{
    struct recording *r = recording_of(h);
    uint32_t i;

    for (i = 0; i < CHANNELS; i++) {
        const struct mcap_channel *c = mcap_reader_channel(r->reader, (uint16_t)i);

        if (c)
            recording_add(r, c);
    }
    r->paused = false;
    recording_seek(r, r->now < r->end ? r->now : r->start);
    return true;
}

static void recording_stop(struct view_hub *h)
{
    struct recording *r = recording_of(h);
    size_t i;

    view_timer_stop(h->loop, &r->timer);
    for (i = 0; i < CHANNELS; i++) {
        struct recording_topic *t = &r->topics[i];

        if (t->topic)
            view_hub_remove(h, t->topic);
        view_blob_unref(t->newest);
        *t = (struct recording_topic){.count = t->count};
    }
}

/*
 * What was there before is wanted, too. The other topics go on without a gap. A search begins anew: it
 * may be for a topic that is not wanted any more.
 */
static void recording_want(struct view_hub *h, struct view_topic *topic, bool want)
{
    struct recording *r = recording_of(h);
    struct recording_topic *t = topic->source;

    t->wanted = t->fresh = want;
    if (want || r->seeking)
        recording_look(r);
}

/* A file without statistics is read once. */
static bool recording_measure(struct recording *r)
{
    struct mcap_statistics s;
    struct mcap_message m;
    const char *why;
    enum mcap_result result = mcap_reader_next(r->reader, &m);

    r->start = UINT64_MAX;
    if (result == MCAP_OK && mcap_reader_statistics(r->reader, &s) && s.messages &&
        s.first <= s.last) {
        r->start = s.first;
        r->end = s.last;
        return true;
    }
    for (; result == MCAP_OK; result = mcap_reader_next(r->reader, &m)) {
        r->start = m.log_time < r->start ? m.log_time : r->start;
        r->end = m.log_time > r->end ? m.log_time : r->end;
        r->topics[m.channel].count++;
    }
    r->bad = mcap_reader_damage(r->reader, &why);
    if ((result == MCAP_BAD || result == MCAP_CUT) &&
        recording_trouble(r, recording_why(r, result)))
        view_complain("%s", r->hub->trouble);
    if (result == MCAP_END || result == MCAP_CUT)
        r->start = r->start == UINT64_MAX ? 0 : r->start;
    return result != MCAP_BAD || r->start <= r->end;
}

static bool recording_read_file(struct recording *r)
{
    r->fd = open(r->hub->options->file, O_RDONLY | O_CLOEXEC);
    r->reader = r->fd < 0 ? NULL : mcap_reader_new(r->fd);
    if (!r->reader) {
        view_complain("%s: %s", r->hub->options->file, strerror(errno));
        return false;
    }
    return recording_measure(r);
}

bool view_recording_open(struct view_hub *h)
{
    struct recording *r = calloc(1, sizeof(*r));
    struct recording_topic *topics = calloc(CHANNELS, sizeof(*topics));

    if (!r || !topics) {
        free(r);
        free(topics);
        view_complain("no memory");
        return false;
    }
    r->hub = h;
    r->topics = topics;
    r->fd = -1;
    r->speed = 1;
    r->timer = (struct view_timer){.due = recording_turn, .context = r};
    h->state = r;
    if (recording_read_file(r)) {
        r->now = r->start;
        return true;
    }
    view_recording_close(h);
    return false;
}

void view_recording_close(struct view_hub *h)
{
    struct recording *r = recording_of(h);

    if (!r)
        return;
    mcap_reader_free(r->reader);
    if (r->fd >= 0)
        close(r->fd);
    free(r->topics);
    free(r);
    h->state = NULL;
}

const struct view_source view_source_file = {.start = recording_start,
                                             .stop = recording_stop,
                                             .want = recording_want,
                                             .control = recording_control};
