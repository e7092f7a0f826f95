/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_play.c - play recordings into channels, in the order of time
 *
 * A moment of the recording is anchored to one of CLOCK_MONOTONIC; from it follows when each message is due.
 * Sleeps are to absolute times, so that delays do not add up. A pause, a step, another speed and a jump set
 * the anchor anew.
 *
 * The put times of messages that a channel without timestamps held before its
 * recording began are not known. They are played first, without waiting. The
 * first message with a time is time 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "common.h"
#include "outlet.h"
#include "replay.h"
#include "replay_error.h"
#include "replay_panel.h"

#define SEEK_NS 5000000000ll     /* by one key */
#define KEYS_EVERY_NS 10000000ll /* between two looks at the keyboard without waiting */
#define SHARP_NS 2000000ll       /* before a message is due, only sleep */
#define FASTER 2.0
#define SPEED_MIN 1e-6
#define SPEED_MAX 1e6

struct player {
    const struct replay_options *options;
    struct logs_source *source;
    struct outlets outlets;
    struct replay_panel panel;
    struct replay_error error;
    double speed; /* 0: without waiting */
    bool paused;
    bool based;       /* a message with a time was reached in this pass */
    int64_t base;     /* its time, on CLOCK_REALTIME */
    int64_t anchor;   /* a time of the recording, and */
    int64_t anchored; /* when it is played, on CLOCK_MONOTONIC */
    int64_t at;       /* the time of the recording that was reached */
    int64_t due;      /* when the last message was due */
    int64_t keys_at;  /* when keys were looked for */
    double length;    /* s; 0: not known */
    int64_t last;     /* the time of the last message, if the length is known */
    uint64_t played, empty;
    bool failed, quit;
};

/* What to do with the next message. */
enum verdict { PLAY, SKIP, JUMP, QUIT };

static int64_t player_now(void)
{
    return tool_clock_ns(CLOCK_MONOTONIC);
}

static double player_seconds(const struct player *p, int64_t time)
{
    return p->based ? ((double)time - (double)p->base) / 1e9 : 0;
}

static void player_anchor(struct player *p, int64_t time, int64_t when)
{
    p->anchor = time;
    p->anchored = when;
}

static void player_show(struct player *p, bool now)
{
    struct replay_view v = {.at = player_seconds(p, p->at),
                            .length = p->length,
                            .speed = p->speed,
                            .paused = p->paused,
                            .played = p->played};

    panel_draw(&p->panel, &v, now);
}

/* The time of the recording that has been reached between two messages. */
static int64_t player_reached(const struct player *p, int64_t next)
{
    double passed = (double)(player_now() - p->anchored) * p->speed;
    int64_t reached = p->anchor + (int64_t)fmin(passed, 9e18 - fabs((double)p->anchor));

    if (p->paused || p->speed <= 0)
        return p->at;
    return reached < next ? reached : next;
}

static void player_set_speed(struct player *p, double factor, int64_t next)
{
    double speed = p->speed * factor;

    if (speed < SPEED_MIN || speed > SPEED_MAX)
        return;
    p->at = player_reached(p, next);
    player_anchor(p, p->at, player_now());
    p->speed = speed;
}

static void player_pause(struct player *p, int64_t next)
{
    p->at = player_reached(p, next);
    p->paused = !p->paused;
    player_anchor(p, p->at, player_now());
}

/* Where to go is in p->at; nothing is before the start. */
static enum verdict player_jump(struct player *p, int64_t by, int64_t next)
{
    int64_t first = p->base + (int64_t)(p->options->start * 1e9);

    p->at = player_reached(p, next) + by;
    if (p->length > 0 && p->at > p->last)
        p->at = p->last;
    if (p->at < first)
        p->at = first;
    player_anchor(p, p->at, player_now());
    return JUMP;
}

/* A key's verdict; SKIP: none, go on waiting. */
static enum verdict player_key(struct player *p, int key, int64_t next)
{
    switch (key) {
    case 'q':
    case KEY_QUIT:
        return QUIT;
    case ' ':
        player_pause(p, next);
        return SKIP;
    case '.':
        if (!p->paused)
            player_pause(p, next);
        return PLAY;
    case '+':
    case '=':
    case '-':
        player_set_speed(p, key == '-' ? 1 / FASTER : FASTER, next);
        return SKIP;
    case KEY_LEFT:
        return player_jump(p, -SEEK_NS, next);
    case KEY_RIGHT:
        return player_jump(p, SEEK_NS, next);
    case KEY_HOME:
        return player_jump(p, INT64_MIN / 4, next);
    case KEY_REDRAW: /* after a stop, play from here, and do not catch up */
        player_anchor(p, p->at, player_now());
        return SKIP;
    default:
        return SKIP;
    }
}

/* When a message is due, on CLOCK_MONOTONIC. */
static int64_t player_due(const struct player *p, int64_t time)
{
    double ns = ((double)(time - p->anchor)) / p->speed;

    return ns > (double)(INT64_MAX / 2) ? INT64_MAX / 2 : p->anchored + (int64_t)ns;
}

static void sleep_until(int64_t due)
{
    struct timespec t = tool_ns_to_time(due);

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

/* Wait a little, or for a key. */
static enum verdict player_wait_key(struct player *p, int64_t wait, int64_t next)
{
    enum verdict v = player_key(p, panel_key(&p->panel, wait), next);

    p->keys_at = player_now();
    if (v == SKIP) {
        if (!p->paused)
            p->at = player_reached(p, next);
        player_show(p, false);
    }
    return v;
}

/* With keys or the line, sleep in pieces, but the last one is as exact as without. */
static enum verdict player_watch(struct player *p, int64_t next, bool untimed)
{
    for (;;) {
        int64_t now = player_now();
        bool waits = p->speed > 0 && !untimed;
        int64_t left = waits ? player_due(p, next) - now : 0;
        enum verdict v = SKIP;

        if (p->paused)
            v = player_wait_key(p, INT64_MAX, next);
        else if (left > SHARP_NS)
            v = player_wait_key(p, left - SHARP_NS, next);
        else if (now - p->keys_at > KEYS_EVERY_NS)
            v = player_wait_key(p, 0, next);
        else
            return PLAY;
        if (v != SKIP)
            return v;
    }
}

static void player_sleep(struct player *p, int64_t next)
{
    p->due = player_due(p, next);
    sleep_until(p->due);
}

/* The first message with a time begins a pass; a later pass begins when the last message was due. */
static void player_base(struct player *p, const struct logs_message *m)
{
    bool again = p->anchored != 0;

    p->based = true;
    p->base = m->order;
    player_anchor(p, m->order, again ? p->due : player_now());
    if (__builtin_add_overflow(p->anchor, (int64_t)(p->options->start * 1e9), &p->anchor))
        p->anchor = INT64_MAX;
    p->at = p->anchor;
}

static bool player_put(struct player *p, const struct logs_message *m)
{
    struct outlet *out = m->topic->user;

    if (m->size == 0) { /* channels have no empty messages */
        p->empty++;
        return true;
    }
    if (!outlet_put(out, m)) {
        p->failed = true;
        return false;
    }
    p->played++;
    return true;
}

/* A topic that was not known before. False after complaining. */
static bool player_meet(struct player *p, struct logs_topic *t)
{
    if (!t->user && !outlets_add(&p->outlets, t))
        return false;
    return outlet_open(&p->outlets, t->user);
}

/* Is the message to be played, and when? */
static enum verdict player_decide(struct player *p, const struct logs_message *m)
{
    double at;

    if (!m->untimed && !p->based)
        player_base(p, m);
    at = m->untimed ? 0 : player_seconds(p, m->order);
    if (at > p->options->end)
        return QUIT;
    if (at < p->options->start || ((struct outlet *)m->topic->user)->skipped)
        return SKIP;
    if (panel_active(&p->panel))
        return player_watch(p, m->untimed ? p->at : m->order, m->untimed);
    return PLAY;
}

/* False: the replay ends. */
static bool player_message(struct player *p, const struct logs_message *m)
{
    if (!player_meet(p, m->topic)) {
        p->failed = true;
        return false;
    }
    switch (player_decide(p, m)) {
    case SKIP:
        return true;
    case JUMP:
        return logs_seek(p->source, p->at) || ((p->failed = true), false);
    case QUIT:
        p->quit = player_seconds(p, m->order) <= p->options->end;
        return false;
    case PLAY:
        break;
    }
    if (p->speed > 0 && !m->untimed && !p->paused) {
        player_sleep(p, m->order);
        replay_error_add(&p->error, player_now() - p->due);
    }
    p->at = m->untimed ? p->at : m->order;
    if (!player_put(p, m))
        return false;
    player_show(p, p->paused);
    return true;
}

/* Play everything once. False: stop. */
static bool player_pass(struct player *p, bool first)
{
    uint64_t before = p->played;
    struct logs_message m;

    if (!first && !logs_seek(p->source, INT64_MIN)) {
        p->failed = true;
        return false;
    }
    p->based = false;
    while (logs_next(p->source, &m) && player_message(p, &m))
        ;
    p->failed = p->failed || logs_failed(p->source);
    return !p->failed && !p->quit && p->played > before;
}

static void player_statistics(const struct player *p)
{
    const struct replay_error *e = &p->error;

    if (!e->n)
        fputs("errors of times: nothing was played by time\n", stderr);
    else
        fprintf(stderr,
                "errors of times: p50 %.1f us, p99 %.1f us, max %.1f us, of %" PRIu64 " messages\n",
                (double)replay_error_at(e, 0.5) / 1e3, (double)replay_error_at(e, 0.99) / 1e3,
                (double)e->max / 1e3, e->n);
}

static void player_summary(const struct player *p, int64_t began)
{
    if (!p->options->quiet)
        fprintf(stderr, "%" PRIu64 " messages played in %.3f s\n", p->played,
                (double)(player_now() - began) / 1e9);
    if (p->empty && !p->options->quiet)
        fprintf(stderr, "%" PRIu64 " empty messages left out: channels cannot hold them\n",
                p->empty);
    if (p->options->statistics)
        player_statistics(p);
}

/* Does something else use the terminal, or the standard input? */
static bool player_lacks_input(char **paths, size_t n)
{
    bool lacks = getenv("ACH_SIM") != NULL; /* the simulation has the terminal */
    size_t i;

    for (i = 0; i < n; i++)
        lacks = lacks || strcmp(paths[i], "-") == 0;
    return lacks;
}

/* A pause needs keys that end it. */
static bool player_may_pause(const struct player *p, char **paths, size_t n)
{
    struct keyboard k;

    if (!p->options->paused || (!player_lacks_input(paths, n) && keyboard_find(&k)))
        return true;
    tool_complain("--paused needs a terminal, whose keys end the pause");
    return false;
}

static void player_run(struct player *p, char **paths, size_t n)
{
    int64_t began = player_now(), first;
    size_t i;

    if (logs_times(p->source, &first, &p->last))
        p->length = (double)(p->last - first) / 1e9;
    prctl(PR_SET_TIMERSLACK, 1ul); /* by default, sleeps last 50 us longer */
    panel_begin(&p->panel, player_lacks_input(paths, n), p->options->quiet);
    p->paused = p->options->paused && p->panel.keyboard.there;
    p->due = began;
    player_show(p, true);
    for (i = 0; p->options->loops == 0 || i < p->options->loops; i++)
        if (!player_pass(p, i == 0))
            break;
    panel_end(&p->panel);
    player_summary(p, began);
    panel_die();
}

/* Reject an --only without a topic, as soon as all are known. */
static bool player_only_fits(const struct player *p)
{
    return logs_patterns_fit(p->source, p->options->only, p->options->n_only, tool_complain);
}

static bool player_has_topic_of(const struct player *p, const char *map)
{
    size_t i;

    for (i = 0; i < logs_topics(p->source); i++)
        if (map_is_for(map, logs_topic(p->source, i)))
            return true;
    return false;
}

/* Reject a --map without a topic: a typo would play the topic into its original channel. */
static bool player_maps_fit(const struct player *p)
{
    size_t i;

    if (!logs_topics_complete(p->source) && !logs_seekable(p->source))
        return true; /* nobody knows yet */
    for (i = 0; i < p->options->n_maps; i++) {
        const char *map = p->options->maps[i];

        if (!player_has_topic_of(p, map)) {
            tool_complain("--map %s: there is no log of a channel '%.*s'", map,
                          (int)strcspn(map, "="), map);
            return false;
        }
    }
    return true;
}

static bool player_add_topics(struct player *p)
{
    size_t i;

    for (i = 0; i < logs_topics(p->source); i++)
        if (!outlets_add(&p->outlets, logs_topic(p->source, i)))
            return false;
    return true;
}

/* Must the recordings be read once before, to know all topics, or how large their messages are? */
static bool player_must_scan(const struct player *p)
{
    const struct replay_options *o = p->options;
    size_t i;

    if (!logs_seekable(p->source))
        return false;
    if (!logs_topics_complete(p->source) && (o->create || o->n_maps))
        return true;
    for (i = 0; i < p->outlets.n; i++)
        if (o->create && outlet_unmeasured(p->outlets.list[i]))
            return true;
    return false;
}

static bool player_scan(struct player *p)
{
    struct logs_message m;

    while (logs_next(p->source, &m)) {
        struct outlet *out;

        if (!outlets_add(&p->outlets, m.topic))
            return false;
        out = m.topic->user;
        out->largest = m.size > out->largest ? m.size : out->largest;
    }
    return logs_seek(p->source, INT64_MIN);
}

static bool player_open_outlets(struct player *p)
{
    size_t i;

    for (i = 0; i < p->outlets.n; i++)
        if (!outlet_open(&p->outlets, p->outlets.list[i]))
            return false;
    outlets_tell(&p->outlets);
    return true;
}

static bool player_prepare(struct player *p)
{
    return player_add_topics(p) && (!player_must_scan(p) || player_scan(p));
}

static int player_play(struct player *p, char **paths, size_t n)
{
    bool known;

    if (!player_may_pause(p, paths, n) || !player_prepare(p))
        return EXIT_FAILED;
    known = logs_topics_complete(p->source);
    if (!player_maps_fit(p))
        return EXIT_USAGE;
    if (known && !player_only_fits(p))
        return EXIT_FAILED;
    if (!player_open_outlets(p))
        return EXIT_FAILED;
    player_run(p, paths, n);
    outlets_tell(&p->outlets);
    if (!known && p->played == 0 && !player_only_fits(p))
        return EXIT_FAILED;
    return p->failed ? EXIT_FAILED : EXIT_DONE;
}

int replay_play(char **paths, size_t n, const struct replay_options *options)
{
    struct player *p = calloc(1, sizeof(*p));
    int status = EXIT_FAILED;

    if (!p) {
        tool_complain("no memory");
        return EXIT_FAILED;
    }
    p->options = options;
    p->speed = options->speed;
    outlets_init(&p->outlets, options);
    p->source = logs_open((const char *const *)paths, n, tool_complain);
    if (p->source)
        status = player_play(p, paths, n);
    logs_close(p->source);
    outlets_finish(&p->outlets);
    free(p);
    return status;
}
