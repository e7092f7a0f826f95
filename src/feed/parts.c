/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.c - what many messages of ROS consist of */
#include <math.h>

#include "translate.h"

/* Times that do not fit are 0. */
void feed_part_time(struct feed_cdr *c, double stamp)
{
    double whole = stamp >= 0 && stamp < 2147483648.0 ? floor(stamp) : 0;
    double rest = stamp >= 0 && stamp < 2147483648.0 ? (stamp - whole) * 1e9 : 0;

    feed_cdr_i32(c, (int32_t)whole);
    feed_cdr_u32(c, (uint32_t)rest);
}

void feed_part_header(const struct feed_translation *t, const char *frame)
{
    feed_part_time(t->cdr, t->stamp);
    feed_cdr_text(t->cdr, frame);
}

void feed_part_vector(struct feed_cdr *c, double x, double y, double z)
{
    feed_cdr_f64(c, x);
    feed_cdr_f64(c, y);
    feed_cdr_f64(c, z);
}

void feed_part_quaternion(struct feed_cdr *c, double roll, double pitch, double yaw)
{
    const double cr = cos(roll / 2), sr = sin(roll / 2), cp = cos(pitch / 2), sp = sin(pitch / 2);
    const double cy = cos(yaw / 2), sy = sin(yaw / 2);

    feed_part_vector(c, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
                     cr * cp * sy - sr * sp * cy);
    feed_cdr_f64(c, cr * cp * cy + sr * sp * sy);
}

void feed_part_pose3d(struct feed_cdr *c, const ach_pose3d_t *pose)
{
    feed_part_vector(c, pose->px, pose->py, pose->pz);
    feed_part_quaternion(c, pose->proll, pose->ppitch, pose->pyaw);
}

void feed_part_pose2d(struct feed_cdr *c, const ach_pose2d_t *pose)
{
    const ach_pose3d_t flat = feed_part_flat(pose);

    feed_part_pose3d(c, &flat);
}

void feed_part_floats(struct feed_cdr *c, const float *values, uint32_t n)
{
    uint32_t i;

    feed_cdr_u32(c, n);
    for (i = 0; i < n; i++)
        feed_cdr_f32(c, values[i]);
}

void feed_part_tf(const struct feed_translation *t, const char *frame, const char *child,
                  const ach_pose3d_t *pose)
{
    feed_cdr_begin(t->cdr);
    feed_cdr_u32(t->cdr, 1);
    feed_part_header(t, frame);
    feed_cdr_text(t->cdr, child);
    feed_part_pose3d(t->cdr, pose);
}
