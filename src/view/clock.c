/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - play, pause, step, speed and seek, of a simulation or of a recording */
#include "page.h"

/* A time of the page has 53 bits: the message at this time is meant, too. */
#define SEEK_ROUND 500e-9

/*
 * The speed that a request asks for, if it does. A simulation may have no limit, which is 0. False after
 * refusing a speed that is none: a clock must advance while somebody waits for it.
 */
static bool clock_speed(struct page *p, const struct view_request *r, bool may_be_0, double *speed)
{
    const struct value *root = &r->tree.root;

    if (!view_request_has(root, "speed") ||
        (view_request_real(root, "speed", speed) && *speed >= VIEW_SPEED_MIN &&
         *speed <= VIEW_SPEED_MAX) ||
        (may_be_0 && view_request_real(root, "speed", speed) && *speed == 0))
        return true;
    view_client_status(p->client, VIEW_ERROR, "play: the speed must be from %g to %g%s",
                       VIEW_SPEED_MIN, VIEW_SPEED_MAX, may_be_0 ? ", or 0 for no limit" : "");
    return false;
}

/* As ach sim takes them. */
static void clock_simulation(struct page *p, const struct view_request *r)
{
    char command[64];
    double speed = -1;

    if (!p->client->hub->options->drive) {
        view_client_status(p->client, VIEW_ERROR,
                           "start 'ach view' with --drive to control a simulation");
    } else if (view_request_is(r, "pause")) {
        page_simulation_command(p, "pause");
    } else if (view_request_is(r, "step")) {
        page_simulation_command(p, "step");
    } else if (view_request_is(r, "play")) {
        if (!clock_speed(p, r, true, &speed))
            return;
        snprintf(command, sizeof(command), "speed %.6f", speed);
        if (speed >= 0)
            page_simulation_command(p, command);
        page_simulation_command(p, "go");
    } else {
        view_client_status(p->client, VIEW_ERROR, "a simulation has no times to seek");
    }
}

static void clock_recording(struct page *p, const struct view_request *r)
{
    struct view_hub *h = p->client->hub;
    double value = 0;

    if (view_request_is(r, "seek")) {
        if (view_request_real(&r->tree.root, "time", &value) && value >= 0 && value < 1e10)
            h->source->control(h, VIEW_SEEK, value + SEEK_ROUND);
        else
            view_client_status(p->client, VIEW_ERROR, "seek: needs a time");
    } else if (view_request_is(r, "pause")) {
        h->source->control(h, VIEW_PAUSE, 0);
    } else if (view_request_is(r, "step")) {
        h->source->control(h, VIEW_STEP, 0);
    } else if (clock_speed(p, r, false, &value)) {
        h->source->control(h, VIEW_PLAY, value);
    }
}

void page_clock_request(struct page *p, const struct view_request *r)
{
    if (p->client->hub->source->control)
        clock_recording(p, r);
    else
        clock_simulation(p, r);
}
