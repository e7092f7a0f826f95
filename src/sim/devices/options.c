/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - options that all simulated devices read from a config file */
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

static void read_grains(struct simd_simdev *d, ach_section_t *o)
{
    static const char *const names[] = {"noise", "quantum"};
    unsigned i;

    for (i = 0; i < 2; i++)
        if (ach_section_tuple_count(o, names[i]) > d->kind->grains)
            ach_section_refuse(o, names[i], d->kind->grains, "fewer values");
    for (i = 0; i < d->kind->grains; i++) {
        d->grains[i].noise = read_grain(o, "noise", i);
        d->grains[i].quantum = read_grain(o, "quantum", i);
    }
}

static void read_sampling(struct simd_simdev *d, ach_section_t *o)
{
    d->hertz = ach_section_double(o, "rate", 100);
    if (!simd_rate_set(&d->rate, d->hertz)) {
        ach_section_refuse(o, "rate", 0, "a rate from 0.001 to 1000000 Hz");
        d->hertz = 0;
    }
    d->latency = read_latency(o, "latency");
    read_grains(d, o);
}

/* The mechanism. Optional if the world has only one, or if the device does not sample. */
static ach_status_t read_physics(struct simd_simdev *d, ach_section_t *o)
{
    const char *name = ach_section_string(o, "physics", NULL);

    if (name)
        d->mechanism = simd_world_find(d->world, name);
    else if (!simd_world_mechanism(d->world, 1))
        d->mechanism = simd_world_mechanism(d->world, 0);
    if (d->mechanism || (!name && !d->kind->sample))
        return ACH_OK;
    ach_section_refuse(o, "physics", 0, "the name of a section physics");
    return ach_errstr_set(ACH_EINVAL, "the device has no mechanism");
}

static ach_status_t claim(struct simd_simdev *d)
{
    const uint8_t(*m)[2];
    ach_status_t status = ach_driver_provide(d->driver, d->kind->interf, NULL, &d->address);

    for (m = d->kind->messages; status == ACH_OK && (*m)[0]; m++)
        status = ach_driver_handles(d->driver, &d->address, (*m)[0], (*m)[1]);
    return status;
}

static ach_status_t read_options(struct simd_simdev *d, ach_section_t *o)
{
    ach_status_t status = claim(d);

    if (status == ACH_OK)
        status = read_physics(d, o);
    if (status != ACH_OK)
        return status;
    d->seed = simd_noise_seed(simd_world_seed(d->world), &d->address);
    if (d->kind->sample)
        read_sampling(d, o);
    if (d->kind->command)
        d->command_latency = read_latency(o, "command_latency");
    status = d->kind->options(d, o);
    if (status == ACH_OK && ach_section_failed(o))
        status = ach_errstr_set(ACH_EINVAL, "the options are wrong");
    return status;
}

ach_status_t simd_create(ach_driver_t *driver, ach_section_t *options, const struct simd_kind *kind,
                         void **state)
{
    struct simd_world *world = simd_world_of(options);
    struct simd_simdev *d;
    ach_status_t status;

    if (!world)
        return ach_errstr_set(ACH_ENOTSUP, "there is no simulation of this config file");
    d = calloc(1, kind->size);
    if (!d)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a simulated device");
    d->kind = kind;
    d->driver = driver;
    d->world = world;
    d->rank = simd_world_rank(world);
    simd_begin(d);
    status = read_options(d, options);
    if (status == ACH_OK)
        *state = d;
    else
        simd_destroy(driver, d);
    return status;
}

void simd_destroy(ach_driver_t *driver, void *state)
{
    struct simd_simdev *d = state;

    (void)driver;
    if (d->kind->finish)
        d->kind->finish(d);
    free(d);
}

size_t simd_body(struct simd_simdev *d, ach_section_t *o, const char *name)
{
    const char *body = ach_section_string(o, name, NULL);
    size_t i = body ? phys_mechanism_body_find(d->mechanism, body) : 0;

    if (i < phys_mechanism_bodies(d->mechanism))
        return i;
    ach_section_refuse(o, name, 0, "the name of a body of the mechanism");
    return 0;
}

size_t simd_joint(struct simd_simdev *d, ach_section_t *o, const char *name, size_t index)
{
    const char *joint = ach_section_tuple_string(o, name, index, NULL);
    size_t i = joint ? phys_mechanism_joint_find(d->mechanism, joint) : PHYS_MECHANISM_NONE;

    if (i < phys_mechanism_joints(d->mechanism))
        return i;
    ach_section_refuse(o, name, index, "the name of a joint of the mechanism");
    return 0;
}

ach_bbox3d_t simd_size(ach_section_t *o)
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

ach_pose3d_t simd_mount(ach_section_t *o)
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
