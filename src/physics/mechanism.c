/* SPDX-License-Identifier: BSD-3-Clause */
/* mechanism.c - options common to all mechanisms, and stepping along the time grid */
#include "mechanism.h"

#include <ach.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "slow.h"

#define NS 1e9

struct phys_mechanism {
    const ach_physics_class_t *engine;
    void *state;
    const char *name;
    int64_t now, step;
    struct phys_slow slow;
};

static void read_options(struct phys_mechanism *m, ach_section_t *s)
{
    double step = ach_section_double(s, "step", 0.001);

    m->name = ach_section_string(s, "name", NULL);
    if (!m->name || !*m->name)
        ach_section_refuse(s, "name", 0, "a name");
    if (step >= 1e-9 && step <= 1)
        m->step = llround(step * NS);
    else
        ach_section_refuse(s, "step", 0, "a time from 1e-9 to 1 s");
    phys_slow_read(&m->slow, s);
}

/* Add file and line to the error; the config file's own errors give their place themselves. */
static ach_status_t failed(ach_section_t *s, ach_status_t status)
{
    if (ach_section_failed(s))
        return ach_errstr_set(ACH_EINVAL, "%s:%d: the options of physics are wrong",
                              ach_section_file(s), ach_section_line(s));
    return ach_errstr_set(status, "%s:%d: %s", ach_section_file(s), ach_section_line(s),
                          ach_errstr());
}

static ach_status_t mechanism_build(struct phys_mechanism *m, ach_section_t *s)
{
    ach_status_t status = phys_engine_find(s, &m->engine);

    read_options(m, s);
    if (status == ACH_OK)
        status = m->engine->create(s, &m->state);
    if (status == ACH_OK && !ach_section_failed(s))
        return ACH_OK;
    status = failed(s, status);
    if (m->state)
        m->engine->destroy(m->state);
    return status;
}

ach_status_t phys_mechanism_open(ach_section_t *section, struct phys_mechanism **mechanism)
{
    struct phys_mechanism *m = calloc(1, sizeof(*m));
    ach_status_t status;

    if (!m)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a mechanism");
    status = mechanism_build(m, section);
    if (status == ACH_OK)
        *mechanism = m;
    else
        free(m);
    return status;
}

void phys_mechanism_close(struct phys_mechanism *m)
{
    if (m)
        m->engine->destroy(m->state);
    free(m);
}

const char *phys_mechanism_name(const struct phys_mechanism *m)
{
    return m->name;
}

int64_t phys_mechanism_now(const struct phys_mechanism *m)
{
    return m->now;
}

int64_t phys_mechanism_step(const struct phys_mechanism *m)
{
    return m->step;
}

/* Advance to the next grid point, or to time if that is earlier. */
static ach_status_t mechanism_step(struct phys_mechanism *m, int64_t time)
{
    int64_t left = m->step - m->now % m->step, way = time - m->now < left ? time - m->now : left;
    ach_status_t status;

    if (*ach_errstr()) /* an older error */
        ach_errstr_set(ACH_OK, "%s", "");
    status = m->engine->step(m->state, way);
    if (status != ACH_OK)
        return ach_errstr_set(status, "%s at %.9f s: %s", m->name, (double)m->now / NS,
                              *ach_errstr() ? ach_errstr() : "the engine gives no reason");
    m->now += way;
    phys_slow_down(&m->slow, way);
    return ACH_OK;
}

ach_status_t phys_mechanism_advance(struct phys_mechanism *m, int64_t time)
{
    ach_status_t status = ACH_OK;

    if (time < m->now)
        return ach_errstr_set(ACH_EINVAL, "%s cannot go back in time", m->name);
    while (m->now < time && status == ACH_OK)
        status = mechanism_step(m, time);
    return status;
}

size_t phys_mechanism_joints(const struct phys_mechanism *m)
{
    return m->engine->joints(m->state);
}

size_t phys_mechanism_joint_find(const struct phys_mechanism *m, const char *name)
{
    size_t i, n = m->engine->joints(m->state);
    ach_joint_info_t info;

    for (i = 0; i < n; i++) {
        m->engine->joint_info(m->state, i, &info);
        if (strcmp(info.name, name) == 0)
            return i;
    }
    return PHYS_MECHANISM_NONE;
}

void phys_mechanism_joint_info(const struct phys_mechanism *m, size_t joint, ach_joint_info_t *i)
{
    m->engine->joint_info(m->state, joint, i);
}

void phys_mechanism_joint_get(const struct phys_mechanism *m, size_t joint, ach_joint_state_t *s)
{
    m->engine->joint_get(m->state, joint, s);
}

ach_status_t phys_mechanism_joint_drive(struct phys_mechanism *m, size_t joint, enum ach_drive how,
                                        double value)
{
    if (!isfinite(value))
        return ach_errstr_set(ACH_EINVAL, "%s: a joint cannot be driven by %g", m->name, value);
    return m->engine->joint_drive(m->state, joint, how, value);
}

size_t phys_mechanism_bodies(const struct phys_mechanism *m)
{
    return m->engine->bodies(m->state);
}

size_t phys_mechanism_body_find(const struct phys_mechanism *m, const char *name)
{
    size_t i, n = m->engine->bodies(m->state);

    for (i = 0; i < n; i++)
        if (strcmp(m->engine->body_name(m->state, i), name) == 0)
            return i;
    return PHYS_MECHANISM_NONE;
}

void phys_mechanism_body_get(const struct phys_mechanism *m, size_t body, ach_body_state_t *s)
{
    m->engine->body_get(m->state, body, s);
}

ach_status_t phys_mechanism_body_put(struct phys_mechanism *m, size_t body,
                                     const double position[3], const double orientation[4])
{
    if (!m->engine->body_put)
        return ach_errstr_set(ACH_ENOTSUP, "engine %s cannot set the pose of a body",
                              m->engine->name);
    return m->engine->body_put(m->state, body, position, orientation);
}

double phys_mechanism_ray(const struct phys_mechanism *m, size_t body, const double from[3],
                          const double direction[3], double limit)
{
    return m->engine->ray ? m->engine->ray(m->state, body, from, direction, limit) : limit;
}

double phys_mechanism_energy(const struct phys_mechanism *m)
{
    return m->engine->energy ? m->engine->energy(m->state) : NAN;
}
