/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <ach.h>
#include <stddef.h>

#include "hold.h"

#define NO_COMMAND "the device has no command of that kind"
#define COMPLAINTS 5u /* refused commands of one device that are logged */

/* Samples only while somebody is subscribed, and each time only once. */
static ach_status_t go_on(struct achi_simdev *d)
{
    struct achi_agenda *agenda = achi_world_agenda(d->world);
    uint64_t first;

    achi_agenda_remove(agenda, &d->next);
    if (!d->kind->sample || !d->running || d->off)
        return ACH_OK;
    first = achi_rate_first(&d->rate, achi_world_now(d->world));
    if (d->k < first)
        d->k = first;
    return achi_agenda_add(agenda, &d->next, achi_rate_time(&d->rate, d->k));
}

static ach_status_t sample(struct achi_agenda_item *item)
{
    struct achi_simdev *d =
        (struct achi_simdev *)(void *)((char *)item - offsetof(struct achi_simdev, next));
    ach_status_t status = achi_simdev_reach(d);

    d->random = achi_noise_begin(d->seed, d->k++);
    if (status == ACH_OK)
        status = d->kind->sample(d);
    return status == ACH_OK ? go_on(d) : status;
}

void achi_simdev_begin(struct achi_simdev *d)
{
    d->next.act = sample;
    d->next.rank = d->rank;
}

ach_status_t achi_simdev_reach(struct achi_simdev *d)
{
    return achi_world_reach(d->world, d->mechanism);
}

double achi_simdev_sense(struct achi_simdev *d, unsigned grain, double value)
{
    return achi_noise_apply(&d->grains[grain], &d->random, value);
}

static ach_status_t release(struct achi_simdev *d, const ach_message_t *m)
{
    return ach_driver_forward(d->driver, &d->address, m);
}

ach_status_t achi_simdev_publish(struct achi_simdev *d, uint8_t subtype, const void *body)
{
    ach_header_t h = {.address = d->address,
                      .type = ACH_MSG_DATA,
                      .subtype = subtype,
                      .timestamp = (double)achi_world_now(d->world) / 1e9};
    ach_message_t *m;
    ach_status_t status;

    if (d->latency == 0)
        return ach_driver_publish_at(d->driver, &d->address, subtype, body, h.timestamp);
    status = ach_message_create(&h, body, &m);
    if (status != ACH_OK)
        return status;
    status = achi_hold(d, &d->samples, m, d->latency, release);
    ach_message_unref(m);
    return status;
}

bool achi_simdev_set_rate(struct achi_simdev *d, double hertz)
{
    struct achi_rate rate;

    if (!achi_rate_set(&rate, hertz))
        return false;
    if (hertz == d->hertz)
        return true;
    d->rate = rate;
    d->hertz = hertz;
    d->k = achi_rate_first(&rate, achi_world_now(d->world) + 1);
    return go_on(d) == ACH_OK;
}

void achi_simdev_power(struct achi_simdev *d, bool on)
{
    if (d->off == on) {
        d->off = !on;
        go_on(d);
    }
}

ach_status_t achi_simdev_ack(struct achi_simdev *d, const ach_message_t *m, const void *body)
{
    return ach_driver_reply(d->driver, m, ACH_MSG_ACK, body);
}

ach_status_t achi_simdev_setup(ach_driver_t *driver, void *state)
{
    struct achi_simdev *d = state;

    ach_status_t status;

    (void)driver;
    achi_world_lock(d->world);
    d->running = true;
    status = go_on(d);
    achi_world_unlock(d->world);
    return status;
}

/* Who comes later does not get what others have left under way. */
void achi_simdev_shutdown(ach_driver_t *driver, void *state)
{
    struct achi_simdev *d = state;

    (void)driver;
    achi_world_lock(d->world);
    d->running = false;
    go_on(d);
    achi_hold_forget(d, &d->samples);
    achi_hold_forget(d, &d->commands);
    achi_world_unlock(d->world);
}

static ach_status_t obey(struct achi_simdev *d, const ach_message_t *m)
{
    ach_status_t status = achi_simdev_reach(d);

    if (status != ACH_OK)
        return status;
    ach_errstr_set(ACH_ENOTSUP, NO_COMMAND);
    return d->kind->command(d, m);
}

/* Nobody answers a command, so a refused one is logged; not each of a loop that goes on. */
static void complain(struct achi_simdev *d)
{
    if (d->refused++ >= COMPLAINTS)
        return;
    ach_driver_log(d->driver, ACH_LOG_WARNING, "a command at %.6f s is refused: %s%s",
                   (double)achi_world_now(d->world) / 1e9, ach_errstr(),
                   d->refused == COMPLAINTS ? "; more are not reported" : "");
}

/* A command that is wrong does not end the simulation. */
static ach_status_t obey_late(struct achi_simdev *d, const ach_message_t *m)
{
    if (obey(d, m) != ACH_OK)
        complain(d);
    return ACH_OK;
}

static ach_status_t take_command(struct achi_simdev *d, const ach_message_t *m)
{
    if (!d->kind->command)
        return ach_errstr_set(ACH_ENOTSUP, NO_COMMAND);
    if (!ach_message_body(m))
        return ach_errstr_set(ACH_EINVAL, "it has no body");
    if (d->command_latency)
        return achi_hold(d, &d->commands, m, d->command_latency, obey_late);
    return obey(d, m);
}

static ach_status_t process(struct achi_simdev *d, const ach_message_t *m)
{
    uint8_t type = ach_message_header(m)->type;

    if (type == ACH_MSG_REQ && d->kind->request)
        return d->kind->request(d, m);
    if (type != ACH_MSG_CMD)
        return ACH_ENOTSUP;
    if (take_command(d, m) != ACH_OK)
        complain(d);
    return ACH_OK;
}

ach_status_t achi_simdev_process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    struct achi_simdev *d = state;
    ach_status_t status;

    (void)driver;
    achi_world_lock(d->world);
    status = process(d, m);
    achi_world_unlock(d->world);
    return status;
}
