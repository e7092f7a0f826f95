/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulation.c - sim_world, a simulation interface: reads and sets the poses of bodies
 *
 * A model is a body: "BODY" of the device's mechanism, or "MECHANISM:BODY" of any.
 * Properties are text: the time of the world, and the energy of a mechanism.
 */
#include <ach.h>
#include <ach/interface/simulation.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "devices.h"
#include "space.h"

#define TEXT_MAX 256

/* A body of the world. */
struct model {
    struct phys_mechanism *mechanism;
    size_t body;
};

static const uint8_t messages[][2] = {
    {ACH_MSG_REQ, ACH_SIMULATION_REQ_GET_POSE2D},   {ACH_MSG_REQ, ACH_SIMULATION_REQ_SET_POSE2D},
    {ACH_MSG_REQ, ACH_SIMULATION_REQ_GET_POSE3D},   {ACH_MSG_REQ, ACH_SIMULATION_REQ_SET_POSE3D},
    {ACH_MSG_REQ, ACH_SIMULATION_REQ_GET_PROPERTY}, {0, 0}};

static ach_status_t simulation_options(struct simd_simdev *d, ach_section_t *o)
{
    (void)d;
    (void)o;
    return ACH_OK;
}

/* Copy text from a message, which need not end in NUL. False: it is too long. */
static bool text_of(const char *bytes, uint32_t count, char *text)
{
    size_t n = bytes ? strnlen(bytes, count) : 0;

    if (n >= TEXT_MAX)
        return false;
    if (n)
        memcpy(text, bytes, n);
    text[n] = '\0';
    return true;
}

static bool find(struct simd_simdev *d, const char *bytes, uint32_t count, struct model *model)
{
    char name[TEXT_MAX], *body = name, *colon;

    model->mechanism = d->mechanism;
    if (!text_of(bytes, count, name))
        return false;
    colon = strchr(name, ':');
    if (colon) {
        *colon = '\0';
        body = colon + 1;
        model->mechanism = simd_world_find(d->world, name);
    }
    if (!model->mechanism)
        return false;
    model->body = phys_mechanism_body_find(model->mechanism, body);
    return model->body != PHYS_MECHANISM_NONE;
}

/* Find a model, and get its state. */
static ach_status_t simulation_get(struct simd_simdev *d, const char *name, uint32_t count,
                                   struct model *model, ach_body_state_t *s)
{
    ach_status_t status = ACH_ENOTSUP;

    if (find(d, name, count, model))
        status = simd_world_reach(d->world, model->mechanism);
    if (status == ACH_OK)
        phys_mechanism_body_get(model->mechanism, model->body, s);
    return status;
}

static bool finite_pose(const ach_pose3d_t *p)
{
    return isfinite(p->px) && isfinite(p->py) && isfinite(p->pz) && isfinite(p->proll) &&
           isfinite(p->ppitch) && isfinite(p->pyaw);
}

static ach_status_t simulation_put(struct simd_simdev *d, const struct model *model,
                                   const ach_pose3d_t *p)
{
    ach_status_t status = simd_world_reach(d->world, model->mechanism);
    ach_orientation_3d_t angles = {p->proll, p->ppitch, p->pyaw};
    double q[4];

    if (status != ACH_OK || !finite_pose(p))
        return status == ACH_OK ? ACH_ENOTSUP : status;
    simd_space_quaternion(&angles, q);
    return phys_mechanism_body_put(model->mechanism, model->body,
                                   (const double[3]){p->px, p->py, p->pz}, q);
}

static ach_status_t get_pose2d(struct simd_simdev *d, const ach_message_t *m)
{
    const ach_simulation_pose2d_req_t *b = ach_message_body(m);
    ach_simulation_pose2d_req_t answer;
    struct model model;
    ach_body_state_t s;
    ach_status_t status;

    status = b ? simulation_get(d, b->name, b->name_count, &model, &s) : ACH_ENOTSUP;
    if (status != ACH_OK)
        return status;
    answer = *b;
    answer.pose =
        (ach_pose2d_t){s.position[0], s.position[1], simd_space_angles(s.orientation).pyaw};
    return simd_ack(d, m, &answer);
}

static ach_status_t get_pose3d(struct simd_simdev *d, const ach_message_t *m)
{
    const ach_simulation_pose3d_req_t *b = ach_message_body(m);
    ach_simulation_pose3d_req_t answer;
    struct model model;
    ach_body_state_t s;
    ach_status_t status;

    status = b ? simulation_get(d, b->name, b->name_count, &model, &s) : ACH_ENOTSUP;
    if (status != ACH_OK)
        return status;
    answer = *b;
    answer.pose = simd_space_pose(s.position, s.orientation);
    answer.simtime = (double)simd_world_now(d->world) / 1e9;
    return simd_ack(d, m, &answer);
}

/* Sets x, y and yaw; height, roll and pitch stay as they are. */
static ach_status_t set_pose2d(struct simd_simdev *d, const ach_message_t *m)
{
    const ach_simulation_pose2d_req_t *b = ach_message_body(m);
    struct model model;
    ach_body_state_t s;
    ach_pose3d_t pose;
    ach_status_t status;

    status = b ? simulation_get(d, b->name, b->name_count, &model, &s) : ACH_ENOTSUP;
    if (status != ACH_OK)
        return status;
    pose = simd_space_pose(s.position, s.orientation);
    pose.px = b->pose.px;
    pose.py = b->pose.py;
    pose.pyaw = b->pose.pa;
    status = simulation_put(d, &model, &pose);
    return status == ACH_OK ? simd_ack(d, m, NULL) : status;
}

static ach_status_t set_pose3d(struct simd_simdev *d, const ach_message_t *m)
{
    const ach_simulation_pose3d_req_t *b = ach_message_body(m);
    struct model model;
    ach_status_t status;

    if (!b || !find(d, b->name, b->name_count, &model))
        return ACH_ENOTSUP;
    status = simulation_put(d, &model, &b->pose);
    return status == ACH_OK ? simd_ack(d, m, NULL) : status;
}

/* ACH_ENOTSUP: there is no such property. */
static ach_status_t property(struct simd_simdev *d, const char *model, const char *name,
                             char text[64])
{
    struct phys_mechanism *m = *model ? simd_world_find(d->world, model) : d->mechanism;
    int64_t now = simd_world_now(d->world);
    ach_status_t status;
    double energy;

    if (strcmp(name, "time") == 0) {
        snprintf(text, 64, "%lld.%09lld", (long long)(now / 1000000000),
                 (long long)(now % 1000000000));
        return ACH_OK;
    }
    if (strcmp(name, "energy") != 0 || !m)
        return ACH_ENOTSUP;
    status = simd_world_reach(d->world, m);
    energy = status == ACH_OK ? phys_mechanism_energy(m) : NAN;
    if (status != ACH_OK || isnan(energy))
        return status == ACH_OK ? ACH_ENOTSUP : status;
    snprintf(text, 64, "%.17g", energy);
    return ACH_OK;
}

static ach_status_t get_property(struct simd_simdev *d, const ach_message_t *m)
{
    const ach_simulation_property_req_t *b = ach_message_body(m);
    ach_simulation_property_req_t answer;
    char model[TEXT_MAX], name[TEXT_MAX], text[64];
    ach_status_t status;

    if (!b || !text_of(b->name, b->name_count, model) || !text_of(b->prop, b->prop_count, name))
        return ACH_ENOTSUP;
    status = property(d, model, name, text);
    if (status != ACH_OK)
        return status;
    answer = *b;
    answer.value = text;
    answer.value_count = (uint32_t)strlen(text) + 1;
    return simd_ack(d, m, &answer);
}

static ach_status_t simulation_request(struct simd_simdev *d, const ach_message_t *m)
{
    switch (ach_message_header(m)->subtype) {
    case ACH_SIMULATION_REQ_GET_POSE2D:
        return get_pose2d(d, m);
    case ACH_SIMULATION_REQ_SET_POSE2D:
        return set_pose2d(d, m);
    case ACH_SIMULATION_REQ_GET_POSE3D:
        return get_pose3d(d, m);
    case ACH_SIMULATION_REQ_SET_POSE3D:
        return set_pose3d(d, m);
    case ACH_SIMULATION_REQ_GET_PROPERTY:
        return get_property(d, m);
    }
    return ACH_ENOTSUP;
}

static const struct simd_kind kind = {
    .interf = ACH_SIMULATION_CODE,
    .size = sizeof(struct simd_simdev),
    .messages = messages,
    .options = simulation_options,
    .request = simulation_request,
};

static ach_status_t simulation_create(ach_driver_t *driver, ach_section_t *section, void **state)
{
    return simd_create(driver, section, &kind, state);
}

const ach_driver_class_t simd_sim_world = SIMD_CLASS("sim_world", simulation_create);
