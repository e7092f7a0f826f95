/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <ach.h>
#include <stddef.h>

#include "delay.h"

#define NO_COMMAND "the device has no command of that kind"
#define COMPLAINTS 5u /* refused commands that are logged, per device */

/* Schedule the next sample, if the device is running and on. No sample number is used twice. */
static ach_status_t go_on(struct simd_simdev *d)
{
    struct simd_agenda *agenda = simd_world_agenda(d->world);
    uint64_t first;

    simd_agenda_remove(agenda, &d->next);
    if (!d->kind->sample || !d->running || d->off)
        return ACH_OK;
    first = simd_rate_first(&d->rate, simd_world_now(d->world));
    if (d->k < first)
        d->k = first;
    return simd_agenda_add(agenda, &d->next, simd_rate_time(&d->rate, d->k));
}

static ach_status_t device_sample(struct simd_agenda_item *item)
{
    struct simd_simdev *d =
        (struct simd_simdev *)(void *)((char *)item - offsetof(struct simd_simdev, next));
    ach_status_t status = simd_reach(d);

    d->random = simd_noise_begin(d->seed, d->k++);
    if (status == ACH_OK)
        status = d->kind->sample(d);
    return status == ACH_OK ? go_on(d) : status;
}

void simd_begin(struct simd_simdev *d)
{
    d->next.act = device_sample;
    d->next.rank = d->rank;
}

ach_status_t simd_reach(struct simd_simdev *d)
{
    return simd_world_reach(d->world, d->mechanism);
}

double simd_sense(struct simd_simdev *d, unsigned grain, double value)
{
    return simd_noise_apply(&d->grains[grain], &d->random, value);
}

static ach_status_t device_release(struct simd_simdev *d, const ach_message_t *m)
{
    return ach_driver_forward(d->driver, &d->address, m);
}

ach_status_t simd_publish(struct simd_simdev *d, uint8_t subtype, const void *body)
{
    ach_header_t h = {.address = d->address,
                      .type = ACH_MSG_DATA,
                      .subtype = subtype,
                      .timestamp = (double)simd_world_now(d->world) / 1e9};
    ach_message_t *m;
    ach_status_t status;

    if (d->latency == 0)
        return ach_driver_publish_at(d->driver, &d->address, subtype, body, h.timestamp);
    status = ach_message_create(&h, body, &m);
    if (status != ACH_OK)
        return status;
    status = simd_delay(d, &d->samples, m, d->latency, device_release);
    ach_message_unref(m);
    return status;
}

bool simd_set_rate(struct simd_simdev *d, double hertz)
{
    struct simd_rate rate;

    if (!simd_rate_set(&rate, hertz))
        return false;
    if (hertz == d->hertz)
        return true;
    d->rate = rate;
    d->hertz = hertz;
    d->k = simd_rate_first(&rate, simd_world_now(d->world) + 1);
    return go_on(d) == ACH_OK;
}

void simd_power(struct simd_simdev *d, bool on)
{
    if (d->off == on) {
        d->off = !on;
        go_on(d);
    }
}

ach_status_t simd_ack(struct simd_simdev *d, const ach_message_t *m, const void *body)
{
    return ach_driver_reply(d->driver, m, ACH_MSG_ACK, body);
}

ach_status_t simd_setup(ach_driver_t *driver, void *state)
{
    struct simd_simdev *d = state;

    ach_status_t status;

    (void)driver;
    simd_world_lock(d->world);
    d->running = true;
    status = go_on(d);
    simd_world_unlock(d->world);
    return status;
}

/* Drops held messages: a later subscriber must not get samples or commands from before. */
void simd_shutdown(ach_driver_t *driver, void *state)
{
    struct simd_simdev *d = state;

    (void)driver;
    simd_world_lock(d->world);
    d->running = false;
    go_on(d);
    simd_delay_forget(d, &d->samples);
    simd_delay_forget(d, &d->commands);
    simd_world_unlock(d->world);
}

static ach_status_t obey(struct simd_simdev *d, const ach_message_t *m)
{
    ach_status_t status = simd_reach(d);

    if (status != ACH_OK)
        return status;
    ach_errstr_set(ACH_ENOTSUP, NO_COMMAND);
    return d->kind->command(d, m);
}

/* Commands have no reply, so a refusal is logged; only the first ones, since loops repeat. */
static void complain(struct simd_simdev *d)
{
    if (d->refused++ >= COMPLAINTS)
        return;
    ach_driver_log(d->driver, ACH_LOG_WARNING, "a command at %.6f s is refused: %s%s",
                   (double)simd_world_now(d->world) / 1e9, ach_errstr(),
                   d->refused == COMPLAINTS ? "; more are not reported" : "");
}

/* Returns ACH_OK: a refused command must not end the simulation. */
static ach_status_t obey_late(struct simd_simdev *d, const ach_message_t *m)
{
    if (obey(d, m) != ACH_OK)
        complain(d);
    return ACH_OK;
}

static ach_status_t take_command(struct simd_simdev *d, const ach_message_t *m)
{
    if (!d->kind->command)
        return ach_errstr_set(ACH_ENOTSUP, NO_COMMAND);
    if (!ach_message_body(m))
        return ach_errstr_set(ACH_EINVAL, "the command has no body");
    if (d->command_latency)
        return simd_delay(d, &d->commands, m, d->command_latency, obey_late);
    return obey(d, m);
}

static ach_status_t process(struct simd_simdev *d, const ach_message_t *m)
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

ach_status_t simd_process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    struct simd_simdev *d = state;
    ach_status_t status;

    (void)driver;
    simd_world_lock(d->world);
    status = process(d, m);
    simd_world_unlock(d->world);
    return status;
}
