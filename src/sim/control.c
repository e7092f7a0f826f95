/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.c - pause, step and speed
 *
 * Words come through the channel sim.NAME.control: pause, go, step SECONDS, speed
 * FACTOR, end. While it is paused, time stands still for everybody.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim.h"

#define WORDS 64u
#define NAP 10000000LL       /* wall time between two looks while paused */
#define AHEAD 500000         /* of the speed limit before it is worth sleeping */
#define STEP 1000000LL       /* of "step" alone */
#define LOOK_EVERY 10000000L /* wall time between two looks at the channel */

static void take(struct achi_sim *s, const char *words)
{
    char word[WORDS + 1] = "", number[WORDS + 1] = "", more[2], *end = number;
    int n = sscanf(words, "%64s %64s %1s", word, number, more);
    double value = n == 2 ? strtod(number, &end) : 0;
    bool alone = n == 1, has = n == 2 && !*end && value >= 0 && value < 1e9;

    if (alone && strcmp(word, "pause") == 0) {
        s->paused = true;
    } else if (alone && strcmp(word, "go") == 0) {
        s->paused = false;
        s->step_end = ACHI_SIM_NEVER;
    } else if ((alone || (has && value > 0)) && strcmp(word, "step") == 0) {
        s->paused = false;
        s->step_end = s->now + (has ? (int64_t)(value * 1e9) : STEP);
    } else if (has && strcmp(word, "speed") == 0) {
        achi_control_rebase(s);
        s->speed = value;
    } else if (alone && strcmp(word, "end") == 0) {
        s->over = true;
    } else {
        fprintf(stderr, "ach sim: control: pause, go, step [SECONDS], speed FACTOR or end\n");
    }
}

static void look(struct achi_sim *s)
{
    char words[WORDS + 1];
    const void *place;
    size_t size;
    ach_status_t status;

    while ((status = ach_view(&s->control, &place, &size, NULL, 0)) == ACH_OK ||
           status == ACH_MISSED_FRAME) {
        snprintf(words, sizeof(words), "%.*s", (int)(size < WORDS ? size : WORDS),
                 (const char *)place);
        take(s, words);
    }
}

static void sleep_for(int64_t wall)
{
    const struct timespec t = {(time_t)(wall / 1000000000), (long)(wall % 1000000000)};

    nanosleep(&t, NULL);
}

/* When something happens next. */
static int64_t due(struct achi_sim *s)
{
    const struct achi_sink *last = achi_sink_last(s);
    int64_t world = achi_happen_next(s), time = last ? achi_sink_time(last) : ACHI_SIM_NEVER;

    if (world < time)
        time = world;
    if (s->plan->duration < time)
        time = s->plan->duration;
    if (s->step_end < time)
        time = s->step_end;
    return time == ACHI_SIM_NEVER ? s->now : time;
}

static bool somebody_away(const struct achi_sim *s)
{
    const struct achi_sink *k = s->sinks;

    while (k && k->phase != ACHI_AWAY)
        k = k->next;
    return k;
}

/*
 * One that is left behind by the world lives by the wall's clock: time does not pass faster until
 * it is back. Else a run of others, or of none, would be over before it had a chance.
 */
static double speed_limit(const struct achi_sim *s)
{
    if (somebody_away(s))
        return s->speed > 0 && s->speed < 1 ? s->speed : 1;
    return s->speed;
}

/* The time that the speed limit permits by now. */
static int64_t permitted(const struct achi_sim *s)
{
    double limit = speed_limit(s);

    if (limit <= 0)
        return s->now;
    return s->time_paced + (int64_t)((double)(achi_wall() - s->wall_paced) * limit);
}

/* Nothing has happened since s->now, so time may have passed up to what is due next. */
static int64_t passed(struct achi_sim *s)
{
    int64_t time = permitted(s), next = due(s);

    return time < next ? time : next;
}

int64_t achi_control_time(struct achi_sim *s)
{
    int64_t time = passed(s);

    return time > s->now ? time : s->now;
}

/* Whatever the new limit is, a step that was ahead of the old one stays ahead. */
void achi_control_rebase(struct achi_sim *s)
{
    s->time_paced = passed(s);
    s->wall_paced = achi_wall();
}

/* Wall time that the next step lies ahead of the speed limit. */
static int64_t ahead(struct achi_sim *s)
{
    double limit = speed_limit(s);

    if (limit <= 0)
        return 0;
    return (int64_t)((double)(due(s) - s->time_paced) / limit) - (achi_wall() - s->wall_paced);
}

/* Whatever a note or a signal changes, the next step is measured against the limit again. */
bool achi_control_pace(struct achi_sim *s)
{
    int64_t wall;

    while ((wall = ahead(s)) > AHEAD) {
        if (s->over || s->paused || s->interrupted || s->died)
            return false;
        if (achi_notes_take(s, achi_wall() + (wall < NAP ? wall : NAP)))
            continue;
        achi_happen_serve(s);
        look(s);
        achi_screen_show(s, false);
    }
    return !s->over && !s->paused;
}

/* So much wall time has passed in a pause. */
static void stand_still(struct achi_sim *s, int64_t length)
{
    struct achi_sink *k;

    s->wall_paced += length;
    s->wall_still += length;
    for (k = s->sinks; k; k = k->next) {
        k->wall_begin += length;
        k->wall_resumed += length;
        k->wall_asleep += k->wall_asleep ? length : 0;
    }
}

static void stay(struct achi_sim *s)
{
    int64_t begin, wall;

    achi_control_rebase(s); /* a step that came late is no credit for the next one */
    begin = s->wall_paced;
    achi_look_halt(s);
    while (s->paused && !s->over && !s->interrupted) {
        sleep_for(NAP);
        while (achi_notes_take(s, 0)) /* one with declared costs has computed on */
            continue;
        achi_happen_serve(s);
        achi_screen_show(s, false);
        wall = achi_wall();
        stand_still(s, wall - begin);
        begin = wall;
        look(s); /* a new speed counts from now on */
    }
}

bool achi_control(struct achi_sim *s)
{
    int64_t wall = achi_wall();

    if (wall - s->wall_looked > LOOK_EVERY) {
        s->wall_looked = wall;
        look(s);
        achi_screen_show(s, false);
    }
    if (s->paused)
        stay(s);
    if (somebody_away(s))
        achi_notes_take(s, 0);
    return !s->over;
}
