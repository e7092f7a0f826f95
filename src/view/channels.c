/* SPDX-License-Identifier: BSD-3-Clause */
#include "channels.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_EVERY 1000000000u /* ns */
#define SAMPLE_EVERY 100000000u
#define USERS_EVERY 2000000000u
#define USERS_SHARE 100u /* looking at the processes may take this part of a processor at most */
#define LOOK_SHARE 10u   /* and at the channels */
#define SMOOTH 0.1

static void channel_add_age(struct view_channel *x, double seconds)
{
    double limit = 10e-6;
    unsigned i;

    for (i = 0; i + 1 < CHANNELS_AGES && seconds >= limit; i++)
        limit *= 10;
    x->ages[i]++;
}

static double channel_now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void channel_sample(struct view_channel *x, struct surveyed *s)
{
    double age;

    look_newest(&s->chan, &s->newest);
    if (!s->newest.there)
        return;
    x->size = x->size < 0 ? (double)s->newest.size
                          : x->size + ((double)s->newest.size - x->size) * SMOOTH;
    if (!s->newest.stamped)
        return;
    age = channel_now(s->info.clock) -
          ((double)s->newest.put.tv_sec + (double)s->newest.put.tv_nsec * 1e-9);
    channel_add_age(x, age > 0 ? age : 0);
}

/* Keep what is known of channels that are still there. */
static bool channels_follow(struct view_channels *c, size_t before)
{
    const struct survey *s = &c->survey;
    struct view_channel *items = calloc(s->n ? s->n : 1, sizeof(*items));
    size_t i, k = 0;

    if (!items)
        return false;
    for (i = 0; i < s->n; i++) {
        snprintf(items[i].name, sizeof(items[i].name), "%s", s->items[i]->name);
        items[i].map = s->items[i]->map;
        items[i].size = -1;
        while (k < before && strcmp(c->items[k].name, items[i].name) < 0)
            k++;
        if (k < before && strcmp(c->items[k].name, items[i].name) == 0 &&
            c->items[k].map == items[i].map)
            items[i] = c->items[k];
    }
    free(c->items);
    c->items = items;
    return true;
}

/*
 * How long not to do work again that began at this time of this thread: there may be any number of channels and
 * processes. On a busy machine only the own work counts.
 */
static uint64_t channels_pause(double begin, uint64_t share, uint64_t least)
{
    uint64_t pause = (uint64_t)((channel_now(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9) * share;

    return pause > least ? pause : least;
}

static void channels_users(struct view_channels *c)
{
    double begin = channel_now(CLOCK_THREAD_CPUTIME_ID);
    uint64_t now = view_now();

    if (now < c->users_next)
        return;
    users_look(&c->users);
    c->users_next = now + channels_pause(begin, USERS_SHARE, USERS_EVERY);
}

static void channels_list(struct view_channels *c)
{
    size_t before = c->survey.n;

    channels_users(c);
    if (survey_look(&c->survey) && channels_follow(c, before)) {
        c->listed(c->context);
        return;
    }
    survey_finish(&c->survey);
    c->survey.n = 0;
}

static void channels_look(void *context)
{
    double begin = channel_now(CLOCK_THREAD_CPUTIME_ID);
    struct view_channels *c = context;
    uint64_t now = view_now();

    channels_list(c);
    if (c->wanted)
        view_timer_set(c->loop, &c->look, now + channels_pause(begin, LOOK_SHARE, LOOK_EVERY));
}

static void channels_sample(void *context)
{
    double begin = channel_now(CLOCK_THREAD_CPUTIME_ID);
    struct view_channels *c = context;
    uint64_t now = view_now();
    size_t i;

    for (i = 0; i < c->survey.n; i++)
        if (c->survey.items[i]->open && c->survey.items[i]->info.newest)
            channel_sample(&c->items[i], c->survey.items[i]);
    view_timer_set(c->loop, &c->sample, now + channels_pause(begin, LOOK_SHARE, SAMPLE_EVERY));
}

void view_channels_init(struct view_channels *c, struct view_loop *loop, view_listed_t *listed,
                        void *context)
{
    *c = (struct view_channels){.loop = loop, .listed = listed, .context = context};
    c->look = (struct view_timer){.due = channels_look, .context = c};
    c->sample = (struct view_timer){.due = channels_sample, .context = c};
}

void view_channels_want(struct view_channels *c, bool want)
{
    if (want && c->wanted++ == 0) {
        c->users_next = 0;
        view_timer_set(c->loop, &c->look, view_now());
        view_timer_set(c->loop, &c->sample, view_now() + SAMPLE_EVERY);
    } else if (!want && --c->wanted == 0) {
        view_channels_finish(c);
    }
}

void view_channels_finish(struct view_channels *c)
{
    view_timer_stop(c->loop, &c->look);
    view_timer_stop(c->loop, &c->sample);
    survey_finish(&c->survey);
    c->survey.n = 0;
    users_finish(&c->users);
    free(c->items);
    c->items = NULL;
}
