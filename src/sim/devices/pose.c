/* SPDX-License-Identifier: BSD-3-Clause */
/* pose.c - the pose of a body in space, as a position3d: like a tracking system */
#include <ach.h>
#include <ach/interface/position3d.h>

#include "device.h"
#include "devices.h"
#include "space.h"

enum { POSITION, ANGLE, VELOCITY, ROTATION, GRAINS };

struct pose {
    struct simd_simdev device;
    size_t body;
    ach_bbox3d_t size;
};

static const uint8_t messages[][2] = {{ACH_MSG_REQ, ACH_POSITION3D_REQ_GET_GEOM}, {0, 0}};

static ach_status_t pose_options(struct simd_simdev *d, ach_section_t *o)
{
    struct pose *p = (struct pose *)d;

    p->body = simd_body(d, o, "body");
    p->size = simd_size(o);
    return ACH_OK;
}

static ach_pose3d_t sense(struct simd_simdev *d, unsigned linear, unsigned angular, ach_pose3d_t p)
{
    return (ach_pose3d_t){
        .px = simd_sense(d, linear, p.px),
        .py = simd_sense(d, linear, p.py),
        .pz = simd_sense(d, linear, p.pz),
        .proll = simd_sense(d, angular, p.proll),
        .ppitch = simd_sense(d, angular, p.ppitch),
        .pyaw = simd_sense(d, angular, p.pyaw),
    };
}

static ach_status_t pose_sample(struct simd_simdev *d)
{
    const struct pose *p = (const struct pose *)d;
    ach_position3d_data_t data = {.stall = 0};
    ach_body_state_t s;

    phys_mechanism_body_get(d->mechanism, p->body, &s);
    data.pos = sense(d, POSITION, ANGLE, simd_space_pose(s.position, s.orientation));
    data.vel = sense(d, VELOCITY, ROTATION,
                     (ach_pose3d_t){s.velocity[0], s.velocity[1], s.velocity[2], s.rotation[0],
                                    s.rotation[1], s.rotation[2]});
    return simd_publish(d, ACH_POSITION3D_DATA_STATE, &data);
}

static ach_status_t pose_request(struct simd_simdev *d, const ach_message_t *m)
{
    ach_position3d_geom_t geom = {.size = ((const struct pose *)d)->size};

    if (ach_message_header(m)->subtype != ACH_POSITION3D_REQ_GET_GEOM)
        return ACH_ENOTSUP;
    return simd_ack(d, m, &geom);
}

static const struct simd_kind kind = {
    .interf = ACH_POSITION3D_CODE,
    .size = sizeof(struct pose),
    .grains = GRAINS,
    .messages = messages,
    .options = pose_options,
    .sample = pose_sample,
    .request = pose_request,
};

static ach_status_t pose_create(ach_driver_t *driver, ach_section_t *section, void **state)
{
    return simd_create(driver, section, &kind, state);
}

const ach_driver_class_t simd_sim_pose = SIMD_CLASS("sim_pose", pose_create);
