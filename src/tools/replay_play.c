/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_play.c - play logs into channels, in the order of time
 *
 * Each log is a lane that holds its next message; the earliest lane plays. The
 * wall-clock times order messages of different logs; within a log the order of
 * the messages is kept, even if times run backwards. Sleeps are to absolute
 * times, so that delays do not add up.
 *
 * The put times of messages that a channel without timestamps held before its
 * recording began are not known. They are played first, without waiting. The
 * first message with a time is time 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "log.h"
#include "outlet.h"
#include "replay.h"

struct lane {
    const char *path;
    int fd;
    struct outlet *outlet;
    struct log_reader reader;
    struct log_message next;
    int64_t at_ns; /* time of the next message, on CLOCK_REALTIME */
    bool live;     /* there is a next message */
    bool opened;
};

struct player {
    const struct replay_options *options;
    struct lane *lanes;
    size_t n;
    struct outlets outlets;
    bool based;       /* a message with a time was reached in this pass */
    int64_t base_ns;  /* time of that message, on CLOCK_REALTIME */
    int64_t begin_ns; /* when this pass began, on CLOCK_MONOTONIC */
    int64_t due_ns;   /* when the last message was due, on CLOCK_MONOTONIC */
    uint64_t played;
    bool failed;
};

static void complain_of(struct player *p, const struct lane *l, enum log_result result)
{
    if (result == LOG_BAD) {
        tool_complain("'%s' is %s", l->path, l->reader.error);
        p->failed = true;
    } else if (result == LOG_CUT) {
        tool_complain("'%s' was cut short after %" PRIu64 " messages", l->path, l->reader.messages);
    }
}

/* Read the lane's next message. */
static void advance(struct player *p, struct lane *l)
{
    int64_t before_ns = l->live ? l->at_ns : INT64_MIN;
    enum log_result result = log_reader_next(&l->reader, &l->next);

    l->live = result == LOG_OK;
    if (!l->live) {
        complain_of(p, l, result);
        return;
    }
    if (!l->next.untimed && !log_realtime(&l->reader.info, l->next.time_ns, &l->at_ns)) {
        tool_complain("'%s' has an impossible time in message %" PRIu64, l->path,
                      l->reader.messages);
        p->failed = true;
        l->live = false;
        return;
    }
    if (l->next.untimed || l->at_ns < before_ns)
        l->at_ns = before_ns;
}

static bool lane_open(struct player *p, struct lane *l, const char *path)
{
    enum log_result result;

    l->path = path;
    l->fd = replay_open_file(path);
    if (l->fd < 0)
        return false;
    l->opened = true;
    result = log_reader_init(&l->reader, l->fd);
    complain_of(p, l, result);
    if (result != LOG_OK)
        return false;
    l->outlet = outlets_add(&p->outlets, &l->reader.info, p->options);
    return l->outlet != NULL;
}

static void lane_close(struct lane *l)
{
    if (!l->opened)
        return;
    log_reader_finish(&l->reader);
    close(l->fd);
}

/* Go back to the start of the log. */
static bool lane_rewind(struct player *p, struct lane *l)
{
    enum log_result result;

    if (lseek(l->fd, 0, SEEK_SET) != 0) {
        tool_complain("'%s' cannot be played again: %s", l->path, strerror(errno));
        return false;
    }
    log_reader_finish(&l->reader);
    result = log_reader_init(&l->reader, l->fd);
    complain_of(p, l, result);
    return result == LOG_OK;
}

static struct lane *earliest(struct player *p)
{
    struct lane *l = NULL;
    size_t i;

    for (i = 0; i < p->n; i++)
        if (p->lanes[i].live && (!l || p->lanes[i].at_ns < l->at_ns))
            l = &p->lanes[i];
    return l;
}

/* Seconds of log time since the first message that has a time. */
static double position(const struct player *p, const struct lane *l)
{
    if (l->next.untimed)
        return 0;
    return ((double)l->at_ns - (double)p->base_ns) / 1e9;
}

/* Log time from the start of playing to a message, in ns; exact for any realistic log. */
static double until_due(const struct player *p, const struct lane *l)
{
    int64_t passed;

    if (__builtin_sub_overflow(l->at_ns, p->base_ns, &passed))
        passed = INT64_MAX;
    return (double)passed - p->options->start * 1e9;
}

static void sleep_until_due(struct player *p, const struct lane *l)
{
    double ns = until_due(p, l) / p->options->speed;
    struct timespec due;

    p->due_ns = ns > (double)(INT64_MAX / 2) ? INT64_MAX / 2 : p->begin_ns + (int64_t)ns;
    due = tool_ns_to_time(p->due_ns);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
        ;
}

/* Play the lane's message if it is between start and end. False: stop. */
static bool play(struct player *p, struct lane *l)
{
    double at;

    if (!l->next.untimed && !p->based) {
        p->based = true;
        p->base_ns = l->at_ns;
        p->begin_ns = p->begin_ns ? p->due_ns : tool_clock_ns(CLOCK_MONOTONIC);
    }
    at = position(p, l);
    if (at > p->options->end)
        return false;
    if (at < p->options->start)
        return true;
    if (p->options->speed > 0 && !l->next.untimed)
        sleep_until_due(p, l);
    if (!outlet_put(l->outlet, l->next.data, l->next.size)) {
        p->failed = true;
        return false;
    }
    p->played++;
    return true;
}

/* Play all logs once. False: stop. */
static bool pass(struct player *p, bool first)
{
    uint64_t before = p->played;
    struct lane *l;
    size_t i;

    for (i = 0; i < p->n; i++) {
        if (!first && !lane_rewind(p, &p->lanes[i])) {
            p->failed = true;
            return false;
        }
        p->lanes[i].live = false;
        advance(p, &p->lanes[i]);
    }
    p->based = false;
    while ((l = earliest(p)) && play(p, l))
        advance(p, l);
    return !p->failed && p->played > before;
}

static void play_all(struct player *p)
{
    int64_t begin_ns = tool_clock_ns(CLOCK_MONOTONIC);
    uint64_t i;

    p->due_ns = begin_ns;
    for (i = 0; p->options->loops == 0 || i < p->options->loops; i++)
        if (!pass(p, i == 0))
            break;
    if (!p->options->quiet)
        fprintf(stderr, "%" PRIu64 " messages played in %.3f s\n", p->played,
                (double)(tool_clock_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9);
}

static bool has_log_of(const struct player *p, const char *map)
{
    size_t i;

    for (i = 0; i < p->n; i++)
        if (map_is_for(map, p->lanes[i].reader.info.channel))
            return true;
    return false;
}

/* Reject a --map without a log: a typo would play the log into its original channel. */
static bool maps_fit(const struct player *p)
{
    size_t i;

    for (i = 0; i < p->options->n_maps; i++) {
        const char *map = p->options->maps[i];

        if (!has_log_of(p, map)) {
            tool_complain("--map %s: there is no log of a channel '%.*s'", map,
                          (int)strcspn(map, "="), map);
            return false;
        }
    }
    return true;
}

int replay_play(char **paths, size_t n, const struct replay_options *options)
{
    struct player p = {.options = options, .n = n};
    int status = EXIT_DONE;
    size_t i;

    p.lanes = calloc(n, sizeof(*p.lanes));
    if (!p.lanes || !outlets_init(&p.outlets, n)) {
        tool_complain("no memory");
        p.failed = true;
    }
    for (i = 0; i < n && !p.failed; i++)
        if (!lane_open(&p, &p.lanes[i], paths[i]))
            p.failed = true;
    if (!p.failed && !maps_fit(&p))
        status = EXIT_USAGE;
    else if (!p.failed && !outlets_open(&p.outlets, options->create))
        p.failed = true;
    else if (!p.failed)
        play_all(&p);
    for (i = 0; p.lanes && i < n; i++)
        lane_close(&p.lanes[i]);
    outlets_finish(&p.outlets);
    free(p.lanes);
    return p.failed ? EXIT_FAILED : status;
}
