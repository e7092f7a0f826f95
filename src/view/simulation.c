/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulation.c - the clock of a simulation, which the page shows, pauses and steps
 *
 * `ach sim` puts its status as a text into the channel sim.NAME.status, and takes commands from
 * sim.NAME.control. If there are several simulations of root and of this user, the first is followed.
 * One that was killed leaves its channels: it has ended if its status does not change and no process
 * has it open for writing. A paused one is alive without a message.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page.h"
#include "trust.h"

#define LOOK_EVERY 200000000u /* ns */
#define STATUS_MAX 65536u
#define QUIET 2u /* surveys */
#define PREFIX "sim."
#define STATUS ".status"
#define CONTROL ".control"

struct page_simulation {
    struct page_common *common;
    char name[ACH_CHAN_NAME_MAX];
    uint64_t inode, epoch; /* of the channel of its status */
    ach_channel_t status;
    uint64_t newest; /* message, when the survey was new last */
    unsigned quiet;  /* surveys since that has changed */
    bool ended;
    struct view_timer timer;
};

/* The NAME of "sim.NAME.status". False: it is another channel. */
static bool simulation_name(const char *channel, char name[ACH_CHAN_NAME_MAX])
{
    size_t n = strlen(channel), head = sizeof(PREFIX) - 1, tail = sizeof(STATUS) - 1;

    if (n <= head + tail || strncmp(channel, PREFIX, head) != 0 ||
        strcmp(channel + n - tail, STATUS) != 0)
        return false;
    snprintf(name, ACH_CHAN_NAME_MAX, "%.*s", (int)(n - head - tail), channel + head);
    return true;
}

static void simulation_send(const struct page_simulation *s, double time, double speed, bool paused)
{
    struct view_blob *blob;
    struct view_text t;
    struct page *p;

    if (!view_text_begin(&t, "clock"))
        return;
    json_string(&t.json, "simulation", s->name);
    json_number(&t.json, "time", time);
    json_number(&t.json, "speed", speed);
    json_bool(&t.json, "paused", paused);
    json_bool(&t.json, "ended", s->ended);
    blob = view_text_end(&t);
    for (p = page_next(s->common->hub, NULL); blob && p; p = page_next(s->common->hub, p))
        view_client_newest(p->client, &p->clock, view_blob_ref(blob), true);
    view_blob_unref(blob);
}

/* "NAME  12.345 s  paused  0.98 x real time", of which paused may be missing. */
static void simulation_read(const struct page_simulation *s, const char *text)
{
    double time, speed = 0;
    char paused[8] = "";

    if (sscanf(text, "%*s %lf s %lf x", &time, &speed) == 2 ||
        sscanf(text, "%*s %lf s %7s %lf x", &time, paused, &speed) == 3)
        simulation_send(s, time, speed, strcmp(paused, "paused") == 0);
}

static void simulation_look(void *context)
{
    struct page_simulation *s = context;
    char *text = malloc(STATUS_MAX + 1);
    enum ach_status status = ACH_FAILED_SYSCALL;
    size_t size;

    view_timer_set(s->common->hub->loop, &s->timer, view_now() + LOOK_EVERY);
    if (text)
        status = ach_get(&s->status, text, STATUS_MAX, &size, NULL, ACH_O_LAST | ACH_O_COPY);
    if (status == ACH_OK || status == ACH_MISSED_FRAME) {
        text[size] = '\0';
        simulation_read(s, text);
    }
    free(text);
}

void page_simulation_finish(struct page_common *c)
{
    struct page_simulation *s = c->simulation;

    if (!s)
        return;
    view_timer_stop(c->hub->loop, &s->timer);
    ach_close(&s->status);
    free(s);
    c->simulation = NULL;
}

static void simulation_begin(struct page_common *c, const struct surveyed *found, const char *name)
{
    struct page_simulation *s = calloc(1, sizeof(*s));
    ach_info_t info;
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    if (!s || ach_open(&s->status, found->name, &attr) != ACH_OK) {
        free(s);
        return;
    }
    if (ach_channel_info(&s->status, &info) != ACH_OK || !trust_channel(&info)) {
        ach_close(&s->status);
        free(s);
        return;
    }
    s->common = c;
    s->inode = info.inode;
    s->epoch = info.epoch;
    memcpy(s->name, name, sizeof(s->name));
    s->timer = (struct view_timer){.due = simulation_look, .context = s};
    c->simulation = s;
    view_timer_set(c->hub->loop, &s->timer, view_now());
}

/* A simulation of the same name that was started later has another channel. */
static bool simulation_is(const struct page_simulation *s, const struct surveyed *found)
{
    return s->inode == found->info.inode && s->epoch == found->info.epoch;
}

/* Processes of others cannot be seen: then it counts as alive. */
static bool simulation_has_writer(const struct view_channels *channels,
                                  const struct surveyed *found)
{
    const struct users *users = &channels->users;
    size_t i;

    for (i = 0; i < users->n; i++)
        if (users->items[i].writes && users_match(&users->items[i], found->name, &found->info))
            return true;
    return geteuid() != 0 && found->info.uid != geteuid();
}

static void simulation_check(struct page_common *c, const struct surveyed *found)
{
    struct page_simulation *s = c->simulation;

    s->quiet = found->info.newest == s->newest ? s->quiet + 1 : 0;
    s->newest = found->info.newest;
    s->ended = s->quiet >= QUIET && !simulation_has_writer(&c->hub->channels, found);
}

void page_simulation_listed(struct page_common *c)
{
    const struct survey *survey = &c->hub->channels.survey;
    char name[ACH_CHAN_NAME_MAX] = "";
    const struct surveyed *found = NULL;
    size_t i;

    for (i = 0; i < survey->n && !found; i++)
        if (survey->items[i]->open && trust_channel(&survey->items[i]->info) &&
            simulation_name(survey->items[i]->name, name))
            found = survey->items[i];
    if (c->simulation && (!found || !simulation_is(c->simulation, found))) {
        c->simulation->ended = true;
        simulation_look(c->simulation);
        page_simulation_finish(c);
    }
    if (found && !c->simulation)
        simulation_begin(c, found, name);
    if (found && c->simulation)
        simulation_check(c, found);
}

/* The channel of this name may be another user's. */
static enum ach_status simulation_put(ach_channel_t *chan, const char *command)
{
    enum ach_status status;
    ach_info_t info;

    status = ach_channel_info(chan, &info);
    if (status == ACH_OK && !trust_channel(&info))
        status = ACH_EACCES;
    return status == ACH_OK ? ach_put(chan, command, strlen(command)) : status;
}

void page_simulation_command(struct page *p, const char *command)
{
    const struct page_simulation *s = p->client->hub->pages->simulation;
    char channel[2 * ACH_CHAN_NAME_MAX];
    enum ach_status status;
    ach_channel_t chan;

    if (!s || s->ended) {
        view_client_status(p->client, VIEW_WARNING, "no simulation runs");
        return;
    }
    snprintf(channel, sizeof(channel), PREFIX "%s" CONTROL, s->name);
    status = ach_open(&chan, channel, NULL);
    if (status == ACH_OK) {
        status = simulation_put(&chan, command);
        ach_close(&chan);
    }
    if (status != ACH_OK)
        view_client_status(p->client, VIEW_ERROR, "%s: %s", channel, ach_result_to_string(status));
}
