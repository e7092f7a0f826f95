/* SPDX-License-Identifier: BSD-3-Clause */
#include "space.h"

#include <math.h>

/* v + 2 u x (u x v + w v), where u is the vector part. */
void simd_space_turn(const double q[4], const double v[3], double out[3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    double a = y * v[2] - z * v[1] + w * v[0];
    double b = z * v[0] - x * v[2] + w * v[1];
    double c = x * v[1] - y * v[0] + w * v[2];
    double r[3] = {v[0] + 2 * (y * c - z * b), v[1] + 2 * (z * a - x * c),
                   v[2] + 2 * (x * b - y * a)};

    out[0] = r[0];
    out[1] = r[1];
    out[2] = r[2];
}

void simd_space_turn_back(const double q[4], const double v[3], double out[3])
{
    simd_space_turn((const double[4]){q[0], -q[1], -q[2], -q[3]}, v, out);
}

void simd_space_compose(const double a[4], const double b[4], double out[4])
{
    double r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                   a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                   a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                   a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    int i;

    for (i = 0; i < 4; i++)
        out[i] = r[i];
}

ach_orientation_3d_t simd_space_angles(const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double up = 2 * (w * y - z * x);

    return (ach_orientation_3d_t){
        .proll = atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
        .ppitch = asin(up > 1    ? 1
                       : up < -1 ? -1
                                 : up),
        .pyaw = atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
    };
}

void simd_space_quaternion(const ach_orientation_3d_t *angles, double q[4])
{
    double roll[4] = {cos(angles->proll / 2), sin(angles->proll / 2), 0, 0};
    double pitch[4] = {cos(angles->ppitch / 2), 0, sin(angles->ppitch / 2), 0};
    double yaw[4] = {cos(angles->pyaw / 2), 0, 0, sin(angles->pyaw / 2)};

    simd_space_compose(pitch, roll, q);
    simd_space_compose(yaw, q, q);
}

ach_pose3d_t simd_space_pose(const double position[3], const double q[4])
{
    ach_orientation_3d_t a = simd_space_angles(q);

    return (ach_pose3d_t){.px = position[0],
                          .py = position[1],
                          .pz = position[2],
                          .proll = a.proll,
                          .ppitch = a.ppitch,
                          .pyaw = a.pyaw};
}
