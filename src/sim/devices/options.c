/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - what all simulated devices read from a config file */
#include <ach.h>
#include <math.h>
#include <stdlib.h>

#include "device.h"

#define LATENCY_MAX 1000.0 /* s */

static int64_t read_latency(ach_section_t *o, const char *name)
{
    double seconds = ach_section_double(o, name, 0);

    if (seconds >= 0 && seconds <= LATENCY_MAX)
        return llround(seconds * 1e9);
    ach_section_refuse(o, name, 0, "a time from 0 to 1000 s");
    return 0;
}

static double read_grain(ach_section_t *o, const char *name, size_t i)
{
    double value = ach_section_tuple_double(o, name, i, 0);

    if (value >= 0 && isfinite(value))
        return value;
    ach_section_refuse(o, name, i, "0 or more");
    return 0;
}

static void read_grains(struct achi_simdev *d, ach_section_t *o)
{
    static const char *const names[] = {"noise", "quantum"};
    unsigned i;

    for (i = 0; i < 2; i++)
        if (ach_section_tuple_count(o, names[i]) > d->kind->grains)
            ach_section_refuse(o, names[i], d->kind->grains, "not so many values");
    for (i = 0; i < d->kind->grains; i++) {
        d->grains[i].noise = read_grain(o, "noise", i);
        d->grains[i].quantum = read_grain(o, "quantum", i);
    }
}

static void read_sampling(struct achi_simdev *d, ach_section_t *o)
{
    d->hertz = ach_section_double(o, "rate", 100);
    if (!achi_rate_set(&d->rate, d->hertz)) {
        ach_section_refuse(o, "rate", 0, "a rate from 0.001 to 1000000 Hz");
        d->hertz = 0;
    }
    d->latency = read_latency(o, "latency");
    read_grains(d, o);
}

/* Which mechanism. Where there is only one, or nothing is sensed, it need not be said. */
static ach_status_t read_physics(struct achi_simdev *d, ach_section_t *o)
{
    const char *name = ach_section_string(o, "physics", NULL);

    if (name)
        d->mechanism = achi_world_find(d->world, name);
    else if (!achi_world_mechanism(d->world, 1))
        d->mechanism = achi_world_mechanism(d->world, 0);
    if (d->mechanism || (!name && !d->kind->sample))
        return ACH_OK;
    ach_section_refuse(o, "physics", 0, "the name of a section physics");
    return ach_errstr_set(ACH_EINVAL, "a device without a mechanism");
}

static ach_status_t claim(struct achi_simdev *d)
{
    const uint8_t(*m)[2];
    ach_status_t status = ach_driver_provide(d->driver, d->kind->interf, NULL, &d->address);

    for (m = d->kind->messages; status == ACH_OK && (*m)[0]; m++)
        status = ach_driver_handles(d->driver, &d->address, (*m)[0], (*m)[1]);
    return status;
}

static ach_status_t read_options(struct achi_simdev *d, ach_section_t *o)
{
    ach_status_t status = claim(d);

    if (status == ACH_OK)
        status = read_physics(d, o);
    if (status != ACH_OK)
        return status;
    d->seed = achi_noise_seed(achi_world_seed(d->world), &d->address);
    if (d->kind->sample)
        read_sampling(d, o);
    if (d->kind->command)
        d->command_latency = read_latency(o, "command_latency");
    status = d->kind->options(d, o);
    if (status == ACH_OK && ach_section_failed(o))
        status = ach_errstr_set(ACH_EINVAL, "the options are wrong");
    return status;
}

ach_status_t achi_simdev_create(ach_driver_t *driver, ach_section_t *options,
                                const struct achi_simdev_kind *kind, void **state)
{
    struct achi_world *world = achi_world_of(options);
    struct achi_simdev *d;
    ach_status_t status;

    if (!world)
        return ach_errstr_set(ACH_ENOTSUP, "there is no simulation of this config file");
    d = calloc(1, kind->size);
    if (!d)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a simulated device");
    d->kind = kind;
    d->driver = driver;
    d->world = world;
    d->rank = achi_world_rank(world);
    achi_simdev_begin(d);
    status = read_options(d, options);
    if (status == ACH_OK)
        *state = d;
    else
        achi_simdev_destroy(driver, d);
    return status;
}

void achi_simdev_destroy(ach_driver_t *driver, void *state)
{
    struct achi_simdev *d = state;

    (void)driver;
    if (d->kind->finish)
        d->kind->finish(d);
    free(d);
}

size_t achi_simdev_body(struct achi_simdev *d, ach_section_t *o, const char *name)
{
    const char *body = ach_section_string(o, name, NULL);
    size_t i = body ? achi_mechanism_body_find(d->mechanism, body) : 0;

    if (i < achi_mechanism_bodies(d->mechanism))
        return i;
    ach_section_refuse(o, name, 0, "the name of a body of the mechanism");
    return 0;
}

size_t achi_simdev_joint(struct achi_simdev *d, ach_section_t *o, const char *name, size_t index)
{
    const char *joint = ach_section_tuple_string(o, name, index, NULL);
    size_t i = joint ? achi_mechanism_joint_find(d->mechanism, joint) : ACHI_MECHANISM_NONE;

    if (i < achi_mechanism_joints(d->mechanism))
        return i;
    ach_section_refuse(o, name, index, "the name of a joint of the mechanism");
    return 0;
}

ach_bbox3d_t achi_simdev_size(ach_section_t *o)
{
    double size[3];
    size_t i;

    for (i = 0; i < 3; i++) {
        size[i] = ach_section_tuple_length(o, "size", i, 0);
        if (!(size[i] >= 0 && isfinite(size[i])))
            ach_section_refuse(o, "size", i, "a length");
    }
    return (ach_bbox3d_t){.sl = size[0], .sw = size[1], .sh = size[2]};
}

ach_pose3d_t achi_simdev_mount(ach_section_t *o)
{
    double v[6];
    size_t i;

    for (i = 0; i < 6; i++) {
        v[i] = i < 3 ? ach_section_tuple_length(o, "pose", i, 0)
                     : ach_section_tuple_angle(o, "pose", i, 0);
        if (!isfinite(v[i]))
            ach_section_refuse(o, "pose", i, "a length or an angle");
    }
    return (ach_pose3d_t){v[0], v[1], v[2], v[3], v[4], v[5]};
}
