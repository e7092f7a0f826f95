/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.c - pause, step and speed
 *
 * Commands come through the channel sim.NAME.control: pause, go, step SECONDS, speed
 * FACTOR, end. While the run is paused, virtual time stands still for the world and all sinks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim.h"

#define WORDS 64u
#define NAP 10000000LL       /* wall time between two polls while paused or ahead */
#define AHEAD 500000         /* wall time ahead of the speed limit that is not worth a sleep */
#define STEP 1000000LL       /* length of "step" without a number */
#define LOOK_EVERY 10000000L /* wall time between two polls of the channel */

static void take(struct sim_sim *s, const char *words)
{
    char word[WORDS + 1] = "", number[WORDS + 1] = "", more[2], *end = number;
    int n = sscanf(words, "%64s %64s %1s", word, number, more);
    double value = n == 2 ? strtod(number, &end) : 0;
    bool alone = n == 1, has = n == 2 && !*end && value >= 0 && value < 1e9;

    if (alone && strcmp(word, "pause") == 0) {
        s->paused = true;
    } else if (alone && strcmp(word, "go") == 0) {
        s->paused = false;
        s->step_end = SIM_NEVER;
    } else if ((alone || (has && value > 0)) && strcmp(word, "step") == 0) {
        s->paused = false;
        s->step_end = s->now + (has ? (int64_t)(value * 1e9) : STEP);
    } else if (has && strcmp(word, "speed") == 0) {
        sim_control_rebase(s);
        s->speed = value;
    } else if (alone && strcmp(word, "end") == 0) {
        s->over = true;
    } else {
        fprintf(stderr, "ach sim: control: pause, go, step [SECONDS], speed FACTOR or end\n");
    }
}

static void control_look(struct sim_sim *s)
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

/* After each note or signal the next step is compared with the limit again. */
bool sim_control_pace(struct sim_sim *s)
{
    int64_t wall;

    while ((wall = sim_control_ahead(s)) > AHEAD) {
        if (s->over || s->paused || s->interrupted || s->died)
            return false;
        if (sim_notes_take(s, monotonic_ns() + (wall < NAP ? wall : NAP)))
            continue;
        sim_events_serve(s);
        control_look(s);
        sim_status_show(s, false);
    }
    return !s->over && !s->paused;
}

/* Leave a pause of this length out of all wall times. */
static void stand_still(struct sim_sim *s, int64_t length)
{
    struct sim_sink *k;

    s->wall_paced += length;
    s->wall_still += length;
    for (k = s->sinks; k; k = k->next) {
        k->wall_begin += length;
        k->wall_resumed += length;
        k->wall_asleep += k->wall_asleep ? length : 0;
    }
}

static void stay(struct sim_sim *s)
{
    int64_t begin, wall;

    sim_control_rebase(s); /* a late step gives the next one no credit */
    begin = s->wall_paced;
    sim_watchdog_halt(s);
    while (s->paused && !s->over && !s->interrupted) {
        sleep_for(NAP);
        while (sim_notes_take(s, 0)) /* sinks without measured costs are not stopped */
            continue;
        sim_events_serve(s);
        sim_status_show(s, false);
        wall = monotonic_ns();
        stand_still(s, wall - begin);
        begin = wall;
        control_look(s); /* a new speed counts from now on */
    }
}

bool sim_control(struct sim_sim *s)
{
    int64_t wall = monotonic_ns();

    if (wall - s->wall_looked > LOOK_EVERY) {
        s->wall_looked = wall;
        control_look(s);
        sim_status_show(s, false);
    }
    if (s->paused)
        stay(s);
    if (sim_sinks_away(s))
        sim_notes_take(s, 0);
    return !s->over;
}
