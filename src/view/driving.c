/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driving.c - the page drives bases and moves joints
 *
 * claim.h says which page may, drive.h what the device does. Commands carry a tick, a time that this
 * server has sent a moment before: so a command that waited somewhere, because a page, a network or
 * this server stood still, is not carried out.
 */
#include <ach/interface/actarray.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "drive.h"
#include "page.h"

#define DRIVES_MAX 32u
#define FASTEST 100.0         /* m/s and rad/s; more is a mistake */
#define FARTHEST 1e6          /* m and rad */
#define TICK_PERIOD 50000000u /* ns */
#define TICK_AGE 300u         /* ms */

struct page_drives {
    struct view_hub *hub;
    struct drive *first;
    unsigned n;
    struct view_watch watch;
    struct view_timer timer; /* of ticks, while a page is visible */
};

/* Milliseconds. The time while the machine is suspended counts. */
static uint64_t driving_tick(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void driving_tick_due(void *context)
{
    struct page_drives *all = context;
    struct view_text t;
    struct page *p;

    for (p = page_next(all->hub, NULL); p; p = page_next(all->hub, p)) {
        if (!view_text_begin(&t, "tick"))
            continue;
        json_uint(&t.json, "tick", driving_tick());
        view_client_newest(p->client, &p->tick, view_text_end(&t), true);
    }
    if (page_next(all->hub, NULL))
        view_timer_set(all->hub->loop, &all->timer, view_now() + TICK_PERIOD);
}

/* What a device does, as of the last change that the thread has told. */
struct driving_news {
    enum drive_moving moving;
    const void *owner;
    char reason[DRIVE_REASON];
};

static bool driving_read(struct drive *d, struct driving_news *n)
{
    bool news;

    pthread_mutex_lock(&d->lock);
    news = d->seen != d->told;
    d->seen = d->told;
    n->moving = d->moving;
    n->owner = d->owner;
    memcpy(n->reason, d->reason, sizeof(n->reason));
    pthread_mutex_unlock(&d->lock);
    return news;
}

static void driving_tell(const struct page *p, const char *address, const struct driving_news *n)
{
    struct view_text t;

    if (!view_text_begin(&t, "driving"))
        return;
    json_string(&t.json, "address", address);
    if (n->moving == DRIVE_NOT_KNOWN)
        json_null(&t.json, "moving");
    else
        json_bool(&t.json, "moving", n->moving == DRIVE_MOVING);
    json_string(&t.json, "by", !n->owner ? "" : n->owner == p ? "you" : "another page");
    json_string(&t.json, "reason", n->reason);
    view_text_send(&t, p->client, NULL);
}

static void driving_look(const struct page_drives *all, struct drive *d)
{
    struct driving_news n;
    const struct page *p;

    if (!driving_read(d, &n))
        return;
    for (p = page_next(all->hub, NULL); p; p = page_next(all->hub, p))
        driving_tell(p, d->address, &n);
}

static void driving_remove(struct page_drives *all, struct drive **at)
{
    struct drive *d = *at;

    *at = d->next;
    all->n--;
    drive_free(d);
}

/* Tell what is new, and free what has ended. */
static void driving_sweep(struct page_drives *all)
{
    struct drive **at = &all->first;

    while (*at) {
        driving_look(all, *at);
        if (drive_ended(*at))
            driving_remove(all, at);
        else
            at = &(*at)->next;
    }
}

static void driving_news(void *context)
{
    struct page_drives *all = context;
    uint64_t count;

    if (read(all->watch.fd, &count, sizeof(count)) == sizeof(count))
        driving_sweep(all);
}

static struct page_drives *driving_all(struct view_hub *h)
{
    struct page_drives *all = h->drives ? NULL : calloc(1, sizeof(*all));

    if (!all)
        return h->drives;
    all->hub = h;
    all->timer = (struct view_timer){.due = driving_tick_due, .context = all};
    all->watch = (struct view_watch){
        .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .ready = driving_news, .context = all};
    if (all->watch.fd < 0 || !view_loop_add(h->loop, &all->watch)) {
        if (all->watch.fd >= 0)
            close(all->watch.fd);
        free(all);
        return NULL;
    }
    return h->drives = all;
}

void page_drives_show(struct page *p)
{
    struct page_drives *all;
    struct driving_news n;
    struct drive *d;

    if (!p->client->hub->options->drive || p->client->hub->options->file)
        return;
    all = driving_all(p->client->hub);
    for (d = all ? all->first : NULL; d; d = d->next) {
        driving_look(all, d);
        driving_read(d, &n);
        driving_tell(p, d->address, &n);
    }
    if (all && !all->timer.when)
        view_timer_set(all->hub->loop, &all->timer, view_now());
}

/* A device has one address and one robot, however a page spells it. */
struct driving_device {
    char address[ACH_ADDRESS_MAX], place[ACH_ADDRESS_MAX];
    bool array;
};

static bool driving_is_here(const char *host)
{
    return !*host || strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0;
}

/* False: see ach_errstr. */
static bool driving_parse(const char *text, struct driving_device *d)
{
    ach_address_t a;
    ach_place_t p;

    if (ach_place_parse(text, &p) != ACH_OK)
        return false;
    if (!driving_is_here(p.host)) {
        ach_errstr_set(ACH_EINVAL, "%.60s is another machine: start 'ach view' there", p.host);
        return false;
    }
    a = (ach_address_t){
        .robot = p.robot ? p.robot : ACH_ROBOT_DEFAULT, .interf = p.interf, .index = p.index};
    ach_address_text(&a, d->place);
    if (a.robot == ACH_ROBOT_DEFAULT)
        a.robot = 0;
    ach_address_text(&a, d->address);
    d->array = a.interf == ACH_ACTARRAY_CODE;
    return true;
}

/* NULL: too many, or no memory. */
static struct drive *driving_get(struct view_hub *h, const struct driving_device *device)
{
    struct page_drives *all = driving_all(h);
    struct drive *d;

    if (!all)
        return NULL;
    driving_sweep(all);
    for (d = all->first; d; d = d->next)
        if (strcmp(d->address, device->address) == 0)
            return d;
    d = all->n < DRIVES_MAX ? drive_new(device->address, device->place, all->watch.fd) : NULL;
    if (!d)
        return NULL;
    d->next = all->first;
    all->first = d;
    all->n++;
    return d;
}

static void driving_refuse(struct page *p, const char *address, const char *reason)
{
    struct view_text t;

    if (!view_text_begin(&t, "refused"))
        return;
    json_string(&t.json, "address", address);
    json_string(&t.json, "reason", reason);
    view_text_send(&t, p->client, NULL);
}

static bool driving_allowed(struct page *p)
{
    if (p->client->hub->options->drive)
        return true;
    view_client_status(p->client, VIEW_ERROR, "start 'ach view' with --drive to allow this");
    return false;
}

/* False after telling why. */
static bool driving_device(struct page *p, const struct value *request, struct driving_device *d)
{
    char address[ACH_ADDRESS_MAX];
    struct value_text text;

    if (!driving_allowed(p))
        return false;
    if (!view_request_text(request, "address", &text) ||
        !view_text_copy(text, address, sizeof(address))) {
        view_client_status(p->client, VIEW_ERROR, "this needs the address of a device");
        return false;
    }
    if (driving_parse(address, d))
        return true;
    driving_refuse(p, address, ach_errstr());
    return false;
}

static bool driving_fresh(const struct value *request)
{
    const uint64_t now = driving_tick();
    uint64_t tick;

    return view_request_number(request, "tick", now, &tick) && now - tick <= TICK_AGE;
}

static void driving_command(struct page *p, const struct value *request, struct actuator_command *c)
{
    const bool fresh = driving_fresh(request);
    struct driving_device device;
    const char *why;
    struct drive *d;

    if (p->hidden && driving_allowed(p))
        view_client_status(p->client, VIEW_ERROR, "only a page that is seen may command a device");
    if (p->hidden || !driving_device(p, request, &device))
        return;
    if (!device.array)
        c->joint = 0; /* it has no other one */
    do {
        d = driving_get(p->client->hub, &device);
        why = d ? drive_command(d, p, c, fresh) : "too many devices are commanded";
    } while (d && why && strcmp(why, DRIVE_ENDED) == 0);
    if (why)
        driving_refuse(p, device.address, why);
}

static bool driving_speed(const struct value *request, const char *name, double *speed)
{
    return view_request_real(request, name, speed) && *speed <= FASTEST && *speed >= -FASTEST;
}

static bool driving_position(const struct value *request, const char *name, double *position)
{
    return view_request_real(request, name, position) && *position <= FARTHEST &&
           *position >= -FARTHEST;
}

void page_drive(struct page *p, const struct value *request)
{
    struct actuator_command c = {.kind = ACTUATOR_DRIVE};

    if (driving_speed(request, "forward", &c.x) && driving_speed(request, "turn", &c.a))
        driving_command(p, request, &c);
    else
        view_client_status(p->client, VIEW_ERROR, "drive: needs forward and turn, at most %g",
                           FASTEST);
}

void page_joint(struct page *p, const struct value *request)
{
    struct actuator_command c = {.kind = ACTUATOR_POSITION};
    uint64_t joint;

    if (!view_request_number(request, "joint", DRIVE_JOINTS - 1, &joint)) {
        view_client_status(p->client, VIEW_ERROR, "joint: needs the number of a joint, up to %u",
                           DRIVE_JOINTS - 1);
        return;
    }
    c.joint = (int)joint;
    if (driving_speed(request, "speed", &c.x))
        c.kind = ACTUATOR_SPEED;
    else if (!driving_position(request, "position", &c.x)) {
        view_client_status(p->client, VIEW_ERROR,
                           "joint: needs a speed, at most %g, or a position, at most %g", FASTEST,
                           FARTHEST);
        return;
    }
    driving_command(p, request, &c);
}

void page_goal(struct page *p, const struct value *request)
{
    struct actuator_command c = {.kind = ACTUATOR_GOAL};

    if (driving_position(request, "x", &c.x) && driving_position(request, "y", &c.y) &&
        (!view_request_has(request, "a") || driving_position(request, "a", &c.a)))
        driving_command(p, request, &c);
    else
        view_client_status(p->client, VIEW_ERROR, "goal: needs x and y, and maybe a, at most %g",
                           FARTHEST);
}

/* Anybody who may drive may stop, whoever drives. A stop is never too old. */
void page_stop(struct page *p, const struct value *request)
{
    struct driving_device device;
    struct drive *d;

    if (!driving_device(p, request, &device))
        return;
    do
        d = driving_get(p->client->hub, &device);
    while (d && !drive_stop(d, p));
    if (!d)
        driving_refuse(p, device.address, "too many devices are commanded");
}

void page_release(struct page *p, const struct value *request)
{
    const struct page_drives *all = p->client->hub->drives;
    struct driving_device device;
    struct drive *d;

    if (!driving_device(p, request, &device))
        return;
    for (d = all ? all->first : NULL; d; d = d->next)
        if (strcmp(d->address, device.address) == 0)
            drive_release(d, p);
}

void page_drives_leave(struct page *p, const char *reason)
{
    const struct page_drives *all = p->client->hub->drives;
    struct drive *d;

    for (d = all ? all->first : NULL; d; d = d->next)
        drive_leave(d, p, reason);
}

void page_drives_end(struct view_hub *h)
{
    struct drive *d;

    if (!h->drives)
        return;
    for (d = h->drives->first; d; d = d->next)
        drive_end(d);
    view_timer_stop(h->loop, &h->drives->timer);
}

void page_drives_finish(struct view_hub *h)
{
    struct page_drives *all = h->drives;
    struct drive *d;

    if (!all)
        return;
    for (d = all->first; d; d = d->next)
        drive_finish(d);
    while (all->first)
        driving_remove(all, &all->first);
    view_timer_stop(h->loop, &all->timer);
    view_loop_remove(h->loop, &all->watch);
    close(all->watch.fd);
    free(all);
    h->drives = NULL;
}
