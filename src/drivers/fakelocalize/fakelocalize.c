/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fakelocalize - the true pose of a simulated robot, as if it had been estimated
 *
 * The pose of a model is requested from a simulation device periodically, and published.
 */
#include <ach.h>
#include <ach/interface/localize.h>
#include <ach/interface/position2d.h>
#include <ach/interface/simulation.h>
#include <stdlib.h>
#include <string.h>

#include "../drivers.h"

/* Seconds to wait for the simulation. */
#define PATIENCE 2.0

/* The weight of the only hypothesis. */
#define SURE 1e6

struct fakelocalize {
    ach_driver_t *driver;
    ach_address_t localize, position, simulation;
    bool has_localize, has_position;
    const char *model;
    bool failing; /* the last request failed */
};

static ach_status_t claim_device(ach_driver_t *driver, uint16_t interf, ach_address_t *address,
                                 bool *has)
{
    ach_status_t status = ach_driver_provide(driver, interf, NULL, address);

    *has = status == ACH_OK;
    return status == ACH_ENOENT ? ACH_OK : status;
}

static ach_status_t fakelocalize_claim(ach_driver_t *driver, struct fakelocalize *f)
{
    ach_status_t status = claim_device(driver, ACH_LOCALIZE_CODE, &f->localize, &f->has_localize);

    if (status == ACH_OK)
        status = claim_device(driver, ACH_POSITION2D_CODE, &f->position, &f->has_position);
    if (status == ACH_OK && !f->has_localize && !f->has_position)
        status =
            ach_errstr_set(ACH_EINVAL, "driver fakelocalize: its option provides names neither a "
                                       "localize nor a position2d device");
    if (status == ACH_OK && f->has_localize)
        status =
            ach_driver_handles(driver, &f->localize, ACH_MSG_REQ, ACH_LOCALIZE_REQ_GET_PARTICLES);
    if (status == ACH_OK && f->has_localize)
        status = ach_driver_handles(driver, &f->localize, ACH_MSG_REQ, ACH_LOCALIZE_REQ_SET_POSE);
    return status == ACH_OK ? ach_driver_require(driver, ACH_SIMULATION_CODE, NULL, &f->simulation)
                            : status;
}

static void fakelocalize_destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    free(state);
}

static ach_status_t fakelocalize_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct fakelocalize *f = calloc(1, sizeof(*f));
    ach_status_t status;

    if (!f)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    f->driver = driver;
    f->model = ach_section_string(options, "model", NULL);
    if (!f->model)
        ach_section_refuse(options, "model", 0, "the name of a model of the simulation");
    status = fakelocalize_claim(driver, f);
    if (status == ACH_OK)
        status = ach_driver_property_int(driver, "sleep_nsec", 100000000);
    if (status == ACH_OK)
        *state = f;
    else
        fakelocalize_destroy(driver, f);
    return status;
}

/* Send a request about the model. The caller releases *answer; NULL: not wanted. */
static ach_status_t fakelocalize_ask(const struct fakelocalize *f, uint8_t subtype,
                                     ach_pose2d_t pose, ach_message_t **answer)
{
    ach_simulation_pose2d_req_t body = {.name_count = (uint32_t)strlen(f->model) + 1,
                                        .name = (char *)(uintptr_t)f->model,
                                        .pose = pose};

    return ach_driver_request(f->driver, &f->simulation, subtype, &body, PATIENCE, answer);
}

static ach_status_t fakelocalize_get(const struct fakelocalize *f, ach_pose2d_t *pose, double *time)
{
    const ach_simulation_pose2d_req_t *body;
    ach_message_t *answer = NULL;
    ach_status_t status =
        fakelocalize_ask(f, ACH_SIMULATION_REQ_GET_POSE2D, (ach_pose2d_t){.px = 0}, &answer);

    body = status == ACH_OK ? ach_message_body(answer) : NULL;
    if (body) {
        *pose = body->pose;
        *time = ach_message_header(answer)->timestamp;
    } else if (status == ACH_OK)
        status = ACH_CORRUPT;
    ach_message_unref(answer);
    return status;
}

static void fakelocalize_publish(struct fakelocalize *f)
{
    ach_localize_hypoth_t hypoth = {.alpha = SURE};
    ach_localize_data_t localize = {.hypoths_count = 1, .hypoths = &hypoth};
    ach_position2d_data_t position = {.stall = 0};
    ach_status_t status = fakelocalize_get(f, &position.pos, &localize.pending_time);

    if (status != ACH_OK) {
        if (!f->failing && status != ACH_CANCELED)
            ach_driver_log(f->driver, ACH_LOG_ERROR, "the simulation does not tell the pose of %s",
                           f->model);
        f->failing = true;
        return;
    }
    f->failing = false;
    hypoth.mean = position.pos;
    if (f->has_localize)
        ach_driver_publish_at(f->driver, &f->localize, ACH_LOCALIZE_DATA_HYPOTHS, &localize,
                              localize.pending_time);
    if (f->has_position)
        ach_driver_publish_at(f->driver, &f->position, ACH_POSITION2D_DATA_STATE, &position,
                              localize.pending_time);
}

static void fakelocalize_run(ach_driver_t *driver, void *state)
{
    double pause;

    do {
        fakelocalize_publish(state);
        pause = ach_driver_get_int(driver, "sleep_nsec") * 1e-9;
    } while (ach_driver_wait(driver, pause > 0 ? pause : 0));
}

static ach_status_t particles(const struct fakelocalize *f, const ach_message_t *m)
{
    ach_localize_particle_t particle = {.alpha = 1};
    ach_localize_get_particles_t body = {.particles_count = 1, .particles = &particle};
    double time;
    ach_status_t status = fakelocalize_get(f, &body.mean, &time);

    if (status != ACH_OK)
        return ACH_ENOTSUP;
    particle.pose = body.mean;
    return ach_driver_reply(f->driver, m, ACH_MSG_ACK, &body);
}

/* As with Player's driver, setting the estimate moves the robot. */
static ach_status_t fakelocalize_set(const struct fakelocalize *f, const ach_message_t *m)
{
    const ach_localize_set_pose_t *body = ach_message_body(m);

    if (!body || fakelocalize_ask(f, ACH_SIMULATION_REQ_SET_POSE2D, body->mean, NULL) != ACH_OK)
        return ACH_ENOTSUP;
    return ach_driver_reply(f->driver, m, ACH_MSG_ACK, NULL);
}

static ach_status_t fakelocalize_process(ach_driver_t *driver, void *state,
                                         const ach_message_t *message)
{
    const struct fakelocalize *f = state;

    (void)driver;
    if (f->has_localize &&
        ach_message_is(message, &f->localize, ACH_MSG_REQ, ACH_LOCALIZE_REQ_GET_PARTICLES))
        return particles(f, message);
    if (f->has_localize &&
        ach_message_is(message, &f->localize, ACH_MSG_REQ, ACH_LOCALIZE_REQ_SET_POSE))
        return fakelocalize_set(f, message);
    return ACH_ENOTSUP;
}

const ach_driver_class_t drv_driver_fakelocalize = {
    .version = ACH_DRIVER_VERSION,
    .name = "fakelocalize",
    .create = fakelocalize_create,
    .destroy = fakelocalize_destroy,
    .process = fakelocalize_process,
    .main = fakelocalize_run,
};
