/* SPDX-License-Identifier: BSD-3-Clause */
#include "drive.h"

#include <ach.h>
#include <ach/device.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "complain.h"
#include "loop.h"

#define OPEN_SECONDS 1.0
#define ANSWER_SECONDS 1.0
#define NS 1000000000u
#define OPEN_AGAIN 500000000u
#define STOP_AGAIN 200000000u
#define CONFIRM_AGAIN 100000000u
#define IDLE 2000000000u
#define GOAL_FRESH 2000000000u /* the first goal waits until the device is open */
#define STOPPED "stopped"

/* Everything here is called under the lock. */

static void drive_say(char to[DRIVE_REASON], const char *text)
{
    size_t n = strlen(text);

    n = n < DRIVE_REASON ? n : DRIVE_REASON - 1;
    memmove(to, text, n);
    to[n] = '\0';
}

static const char *drive_error(ach_status_t status)
{
    return *ach_errstr() ? ach_errstr() : ach_result_to_string(status);
}

static unsigned drive_count(const struct drive *d, enum drive_state state)
{
    unsigned i, n = 0;

    for (i = 0; i < d->n; i++)
        n += d->slots[i].state == state;
    return n;
}

static struct drive_slot *drive_commanded(struct drive *d)
{
    unsigned i;

    for (i = 0; i < d->n; i++)
        if (d->slots[i].has_command)
            return &d->slots[i];
    return NULL;
}

/* While a first stop is under way, what was told stays true. */
static void drive_what(const struct drive *d, enum drive_moving *moving, char reason[DRIVE_REASON])
{
    const bool moves = drive_count(d, DRIVE_MOVES), goes = drive_count(d, DRIVE_GOES);
    const bool stops = drive_count(d, DRIVE_STOPPING) || drive_count(d, DRIVE_SENT);

    if (stops && *d->trouble) {
        *moving = moves || goes ? DRIVE_MOVING : DRIVE_NOT_KNOWN;
        snprintf(reason, DRIVE_REASON, "cannot be stopped, trying again: %.190s", d->trouble);
    } else if (moves || goes) {
        *moving = DRIVE_MOVING;
        drive_say(reason, moves ? "" : "it has a goal");
    } else if (!stops) {
        *moving = drive_count(d, DRIVE_STANDS) ? DRIVE_STILL : DRIVE_NOT_KNOWN;
        drive_say(reason, d->why);
    }
}

static void drive_tell(struct drive *d)
{
    const void *owner = claim_owner(&d->claim);
    enum drive_moving moving = d->moving;
    char reason[DRIVE_REASON];
    uint64_t one = 1;

    drive_say(reason, d->reason);
    drive_what(d, &moving, reason);
    if (d->moving == moving && d->owner == owner && strcmp(d->reason, reason) == 0 && !d->ended)
        return;
    d->moving = moving;
    d->owner = owner;
    drive_say(d->reason, reason);
    d->told++;
    if (write(d->news, &one, sizeof(one)) < 0)
        d->told--; /* cannot happen: the counter is far from full */
}

/* At once, also if the stop of another joint has just failed. */
static void drive_stop_slot(struct drive *d, struct drive_slot *s, const char *why)
{
    s->state = DRIVE_STOPPING;
    d->stop_at = 0;
    drive_say(d->why, why);
}

/* moving: only what must be repeated. Otherwise all: another program may move what stands, too. */
static void drive_stop_slots(struct drive *d, bool moving, const char *why)
{
    unsigned i;

    if (!drive_count(d, DRIVE_STOPPING) && !drive_count(d, DRIVE_SENT))
        drive_say(d->trouble, "");
    if (!moving && !d->n)
        d->n = 1;
    for (i = 0; i < d->n; i++) {
        struct drive_slot *s = &d->slots[i];

        if (!moving || actuator_moves(&s->command))
            s->has_command = false;
        if (moving && s->state != DRIVE_MOVES)
            continue;
        drive_stop_slot(d, s, why);
    }
}

static void drive_close(struct drive *d)
{
    ach_device_t *device = d->device;

    d->device = NULL;
    pthread_mutex_unlock(&d->lock);
    ach_device_close(device); /* may wait for its server */
    pthread_mutex_lock(&d->lock);
}

/*
 * The server has ended, or the connection is lost. What moved is stopped as soon as it is back, and
 * nobody drives on without letting go.
 */
static void drive_lose(struct drive *d, const char *why)
{
    d->open_at = d->opened_at + OPEN_AGAIN;
    if (drive_count(d, DRIVE_SENT) || drive_count(d, DRIVE_STOPPING))
        drive_say(d->trouble, why);
    if (drive_count(d, DRIVE_MOVES)) {
        claim_hold(&d->claim, "the device was lost while it moved", view_now());
        drive_stop_slots(d, true, why);
        drive_say(d->trouble, why);
    }
    for (unsigned i = 0; i < d->n; i++)
        if (d->slots[i].state == DRIVE_SENT)
            d->slots[i].state = DRIVE_STOPPING;
    drive_close(d);
}

/* Trying again will not help. */
static bool drive_impossible(ach_status_t status)
{
    return status == ACH_ENOTSUP || status == ACH_EINVAL || status == ACH_EACCES ||
           status == ACH_ENOENT;
}

static void drive_not_open(struct drive *d, ach_status_t status, const char *why, uint64_t now)
{
    unsigned i;

    d->failed_at = d->failed_at ? d->failed_at : now;
    d->open_at = now + OPEN_AGAIN;
    drive_say(d->why, why);
    drive_say(d->trouble, why);
    for (i = 0; i < d->n; i++) {
        struct drive_slot *s = &d->slots[i];

        s->has_command = false;
        if (s->state == DRIVE_STOPPING && ((!s->used && (d->end || drive_impossible(status))) ||
                                           now - d->failed_at > DRIVE_GONE)) {
            if (s->used)
                view_complain("%s is gone, and was not stopped: %s", d->address, why);
            s->state = DRIVE_UNKNOWN;
        }
    }
}

/* How many joints an array has. Not if a stop waits: this may take a moment. */
static void drive_count_joints(struct drive *d)
{
    unsigned n;

    if (ach_device_address(d->device)->interf != ACH_ACTARRAY_CODE ||
        drive_count(d, DRIVE_STOPPING))
        return;
    pthread_mutex_unlock(&d->lock);
    n = actuator_joints(d->device);
    pthread_mutex_lock(&d->lock);
    d->joints = n;
}

static void drive_open(struct drive *d)
{
    const ach_device_attr_t attr = {.size = sizeof(attr), .timeout = OPEN_SECONDS, .messages = 1};
    ach_device_t *device = NULL;
    char why[DRIVE_REASON];
    ach_status_t status;

    pthread_mutex_unlock(&d->lock);
    status = ach_device_open(d->place, &attr, &device);
    drive_say(why, status == ACH_OK ? "" : drive_error(status));
    pthread_mutex_lock(&d->lock);
    if (status != ACH_OK) {
        drive_not_open(d, status, why, view_now());
        return;
    }
    d->device = device;
    d->opened_at = view_now();
    d->failed_at = 0;
    drive_count_joints(d);
}

/* *why: set if it fails. A stop that came in the meantime has set the state of the slot. */
static ach_status_t drive_send(struct drive *d, const struct actuator_command *c,
                               char why[DRIVE_REASON])
{
    ach_status_t status;

    pthread_mutex_unlock(&d->lock);
    status = actuator_send(d->device, c);
    drive_say(why, status == ACH_OK ? "" : drive_error(status));
    pthread_mutex_lock(&d->lock);
    return status;
}

static void drive_take(struct drive *d, struct drive_slot *s)
{
    const struct actuator_command c = s->command;
    const enum drive_state before = s->state;
    const bool moves = actuator_moves(&c);
    char why[DRIVE_REASON];
    ach_status_t status;

    s->has_command = false;
    if (d->joints && (unsigned)c.joint >= d->joints) {
        snprintf(d->why, sizeof(d->why), "it has no joint %d: it has %u", c.joint, d->joints);
        return;
    }
    s->state = moves ? DRIVE_MOVES : DRIVE_GOES;
    s->until = s->fresh;
    status = drive_send(d, &c, why);
    if (status == ACH_OK) {
        s->used = true;
        return;
    }
    drive_say(d->why, why);
    if (status == ACH_CLOSED && before != DRIVE_MOVES && s->state != DRIVE_STOPPING) {
        s->state = before; /* it was lost before: open it again, and do this if it is not too old */
        s->has_command = true;
        drive_lose(d, why);
    } else if (status == ACH_CLOSED) {
        drive_lose(d, why);
    } else if (s->state != DRIVE_STOPPING) {
        s->state = drive_impossible(status) && before != DRIVE_MOVES ? before : DRIVE_STOPPING;
    }
}

/* Joints that nobody has commanded from here have slots, too, if all are to be stopped. */
static void drive_find_joints(struct drive *d)
{
    unsigned n;

    d->whole = false;
    if (ach_device_address(d->device)->interf != ACH_ACTARRAY_CODE)
        return;
    pthread_mutex_unlock(&d->lock);
    n = actuator_joints(d->device);
    pthread_mutex_lock(&d->lock);
    for (; d->n < n && d->n < DRIVE_JOINTS; d->n++)
        drive_stop_slot(d, &d->slots[d->n], d->why);
}

static void drive_send_stop(struct drive *d, unsigned i)
{
    const struct actuator_command stop = {.kind = ACTUATOR_STOP, .joint = (int)i};
    struct drive_slot *s = &d->slots[i];
    char why[DRIVE_REASON];
    ach_status_t status;

    s->state = DRIVE_SENT;
    status = drive_send(d, &stop, why);
    if (status == ACH_OK || s->state != DRIVE_SENT)
        return;
    s->state = DRIVE_STOPPING;
    drive_say(d->trouble, why);
    d->stop_at = view_now() + STOP_AGAIN;
    if (drive_impossible(status) && !s->used) {
        s->state = DRIVE_UNKNOWN; /* it was not moved from here, so all that is left is to say so */
        drive_say(d->why, why);
    } else if (status == ACH_CLOSED) {
        drive_lose(d, why);
    }
}

static void drive_send_stops(struct drive *d)
{
    unsigned i;

    for (i = 0; i < d->n && d->device; i++)
        if (d->slots[i].state == DRIVE_STOPPING)
            drive_send_stop(d, i);
    if (d->whole && d->device)
        drive_find_joints(d);
}

/* The watchdog of what still moves waits behind this. */
static double drive_confirm_limit(const struct drive *d, uint64_t now)
{
    double limit = ANSWER_SECONDS, left;
    unsigned i;

    for (i = 0; i < d->n; i++) {
        left = d->slots[i].until > now ? (double)(d->slots[i].until - now) * 0.5e-9 : 0;
        if (d->slots[i].state == DRIVE_MOVES && left < limit)
            limit = left;
    }
    return limit;
}

static void drive_confirm(struct drive *d, uint64_t now)
{
    const double limit = drive_confirm_limit(d, now);
    char why[DRIVE_REASON];
    ach_status_t status;
    unsigned i;

    d->confirm_at = now + CONFIRM_AGAIN;
    pthread_mutex_unlock(&d->lock);
    status = ach_device_flush(d->device, limit);
    drive_say(why, status == ACH_OK ? "" : drive_error(status));
    pthread_mutex_lock(&d->lock);
    if (status == ACH_CLOSED) {
        drive_lose(d, why);
        return;
    }
    if (status == ACH_TIMEOUT && limit < ANSWER_SECONDS)
        return;
    for (i = 0; i < d->n; i++)
        if (d->slots[i].state == DRIVE_SENT)
            d->slots[i].state = status == ACH_OK ? DRIVE_STANDS : DRIVE_STOPPING;
    drive_say(d->trouble, why);
    if (status != ACH_OK)
        d->stop_at = view_now() + STOP_AGAIN;
}

/* What has become too old, and the earliest time at which more does. */
static uint64_t drive_watch(struct drive *d, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    unsigned i;

    for (i = 0; i < d->n; i++) {
        struct drive_slot *s = &d->slots[i];

        if (s->has_command && now >= s->fresh) {
            s->has_command = false;
            drive_say(d->why, "the device was too slow");
        }
        if (s->state == DRIVE_MOVES && now >= s->until)
            drive_stop_slot(d, s, "no command for 200 ms");
        if (s->has_command && s->fresh < next)
            next = s->fresh;
        if (s->state == DRIVE_MOVES && s->until < next)
            next = s->until;
    }
    return next;
}

static void drive_wait(struct drive *d, uint64_t when)
{
    struct timespec until = {.tv_sec = (time_t)(when / NS), .tv_nsec = (long)(when % NS)};

    if (when != UINT64_MAX)
        pthread_cond_timedwait(&d->changed, &d->lock, &until);
    else
        pthread_cond_wait(&d->changed, &d->lock);
}

static uint64_t drive_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Do one thing that is due, or wait. False: there is nothing left to do. */
static bool drive_step(struct drive *d)
{
    uint64_t now = view_now(), next = drive_watch(d, now), at;
    const bool stops = drive_count(d, DRIVE_STOPPING), sent = drive_count(d, DRIVE_SENT);
    struct drive_slot *commanded = drive_commanded(d);

    drive_tell(d);
    if (d->end_at && now >= d->end_at)
        return false;
    if ((stops || commanded) && !d->device) {
        if (now >= d->open_at) {
            drive_open(d);
            return true;
        }
        next = drive_earlier(next, d->open_at);
    } else if (stops && now >= d->stop_at) {
        drive_send_stops(d);
        return true;
    } else if (commanded) {
        drive_take(d, commanded);
        return true;
    } else if (sent && now >= d->confirm_at) {
        drive_confirm(d, now);
        return true;
    } else if (stops || sent) {
        at = stops ? d->stop_at : d->confirm_at;
        next = drive_earlier(next, at);
    } else if (!drive_count(d, DRIVE_MOVES) && (d->end || !d->device)) {
        if (d->end || now >= d->idle_at)
            return false;
        next = drive_earlier(next, d->idle_at);
    }
    drive_wait(d, d->end_at ? drive_earlier(next, d->end_at) : next);
    return true;
}

static void *drive_thread(void *context)
{
    struct drive *d = context;

    pthread_mutex_lock(&d->lock);
    for (;;) {
        if (drive_step(d))
            continue;
        if (!d->device)
            break;
        drive_close(d); /* in the meantime there may be a new command */
    }
    if (drive_count(d, DRIVE_STOPPING) || drive_count(d, DRIVE_SENT))
        view_complain("%s was not stopped: %s", d->address, d->trouble);
    d->ended = true;
    drive_tell(d);
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

struct drive *drive_new(const char *address, const char *place, int news)
{
    struct drive *d = calloc(1, sizeof(*d));
    pthread_condattr_t attr;

    if (!d)
        return NULL;
    snprintf(d->address, sizeof(d->address), "%s", address);
    snprintf(d->place, sizeof(d->place), "%s", place);
    d->news = news;
    d->idle_at = view_now() + IDLE;
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&d->changed, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&d->thread, NULL, drive_thread, d) == 0)
        return d;
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    free(d);
    return NULL;
}

/* A motion with the speed 0 is a stop of its joint. */
static void drive_put(struct drive *d, const struct actuator_command *c, uint64_t now)
{
    struct drive_slot *s = &d->slots[c->joint];

    if ((unsigned)c->joint >= d->n)
        d->n = (unsigned)c->joint + 1;
    s->has_command = actuator_moves(c) || actuator_is_goal(c);
    s->command = *c;
    s->fresh = now + (actuator_is_goal(c) ? GOAL_FRESH : DRIVE_SILENCE);
    if (s->has_command) {
        drive_say(d->why, ""); /* of an earlier stop */
    } else if (s->state < DRIVE_STOPPING) {
        drive_stop_slot(d, s, STOPPED);
    }
}

const char *drive_command(struct drive *d, const void *page, const struct actuator_command *c,
                          bool fresh)
{
    const uint64_t now = view_now();
    const char *why;

    pthread_mutex_lock(&d->lock);
    if (d->ended) {
        pthread_mutex_unlock(&d->lock);
        return DRIVE_ENDED;
    }
    why = claim_ask(&d->claim, page, fresh && !actuator_is_goal(c), now);
    if (!why && !fresh)
        why = "the command is too old";
    if (!why) {
        drive_put(d, c, now);
        d->end = false;
        d->idle_at = now + IDLE;
    }
    drive_tell(d);
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
    return why;
}

/* A second stop does not change why it stands. */
static bool drive_was_stopped(const struct drive *d)
{
    return strcmp(d->why, CLAIM_STOPPED) == 0 && !drive_count(d, DRIVE_MOVES) &&
           !drive_count(d, DRIVE_GOES);
}

bool drive_stop(struct drive *d, const void *page)
{
    bool other, ended;

    pthread_mutex_lock(&d->lock);
    other = claim_stop(&d->claim, page, view_now());
    drive_stop_slots(d, false, other || drive_was_stopped(d) ? CLAIM_STOPPED : STOPPED);
    d->whole = true;
    d->idle_at = view_now() + IDLE;
    ended = d->ended;
    drive_tell(d);
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
    return !ended;
}

void drive_release(struct drive *d, const void *page)
{
    pthread_mutex_lock(&d->lock);
    if (claim_release(&d->claim, page))
        drive_stop_slots(d, true, STOPPED);
    drive_tell(d);
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

void drive_leave(struct drive *d, const void *page, const char *reason)
{
    pthread_mutex_lock(&d->lock);
    if (claim_leave(&d->claim, page))
        drive_stop_slots(d, true, reason);
    drive_tell(d);
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

void drive_end(struct drive *d)
{
    pthread_mutex_lock(&d->lock);
    d->end = true;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

bool drive_ended(struct drive *d)
{
    bool ended;

    pthread_mutex_lock(&d->lock);
    ended = d->ended;
    pthread_mutex_unlock(&d->lock);
    return ended;
}

void drive_finish(struct drive *d)
{
    pthread_mutex_lock(&d->lock);
    drive_stop_slots(d, true, STOPPED);
    d->end = true;
    d->end_at = view_now() + DRIVE_END;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

void drive_free(struct drive *d)
{
    pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    free(d);
}
