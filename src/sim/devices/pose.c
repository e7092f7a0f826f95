/* SPDX-License-Identifier: BSD-3-Clause */
/* pose.c - where a body is in space, as a position3d: what a tracking system tells */
#include <ach.h>
#include <ach/interface/position3d.h>

#include "device.h"
#include "devices.h"
#include "space.h"

enum { POSITION, ANGLE, VELOCITY, ROTATION, GRAINS };

struct pose {
    struct achi_simdev device;
    size_t body;
    ach_bbox3d_t size;
};

static const uint8_t messages[][2] = {{ACH_MSG_REQ, ACH_POSITION3D_REQ_GET_GEOM}, {0, 0}};

static ach_status_t options(struct achi_simdev *d, ach_section_t *o)
{
    struct pose *p = (struct pose *)d;

    p->body = achi_simdev_body(d, o, "body");
    p->size = achi_simdev_size(o);
    return ACH_OK;
}

static ach_pose3d_t sense(struct achi_simdev *d, unsigned linear, unsigned angular, ach_pose3d_t p)
{
    return (ach_pose3d_t){
        .px = achi_simdev_sense(d, linear, p.px),
        .py = achi_simdev_sense(d, linear, p.py),
        .pz = achi_simdev_sense(d, linear, p.pz),
        .proll = achi_simdev_sense(d, angular, p.proll),
        .ppitch = achi_simdev_sense(d, angular, p.ppitch),
        .pyaw = achi_simdev_sense(d, angular, p.pyaw),
    };
}

static ach_status_t sample(struct achi_simdev *d)
{
    const struct pose *p = (const struct pose *)d;
    ach_position3d_data_t data = {.stall = 0};
    ach_body_state_t s;

    achi_mechanism_body_get(d->mechanism, p->body, &s);
    data.pos = sense(d, POSITION, ANGLE, achi_space_pose(s.position, s.orientation));
    data.vel = sense(d, VELOCITY, ROTATION,
                     (ach_pose3d_t){s.velocity[0], s.velocity[1], s.velocity[2], s.rotation[0],
                                    s.rotation[1], s.rotation[2]});
    return achi_simdev_publish(d, ACH_POSITION3D_DATA_STATE, &data);
}

static ach_status_t request(struct achi_simdev *d, const ach_message_t *m)
{
    ach_position3d_geom_t geom = {.size = ((const struct pose *)d)->size};

    if (ach_message_header(m)->subtype != ACH_POSITION3D_REQ_GET_GEOM)
        return ACH_ENOTSUP;
    return achi_simdev_ack(d, m, &geom);
}

static const struct achi_simdev_kind kind = {
    .interf = ACH_POSITION3D_CODE,
    .size = sizeof(struct pose),
    .grains = GRAINS,
    .messages = messages,
    .options = options,
    .sample = sample,
    .request = request,
};

static ach_status_t create(ach_driver_t *driver, ach_section_t *section, void **state)
{
    return achi_simdev_create(driver, section, &kind, state);
}

const ach_driver_class_t achi_sim_pose = ACHI_SIMDEV_CLASS("sim_pose", create);
