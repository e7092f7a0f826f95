/* SPDX-License-Identifier: BSD-3-Clause */
/* space.h - vectors and orientations; a quaternion is w, x, y, z and of length 1 */
#ifndef SIMD_SIM_SPACE_H
#define SIMD_SIM_SPACE_H

#include <ach/interface/common.h>

/* Rotate a vector from the body's frame into the world's, and back. */
void simd_space_turn(const double q[4], const double v[3], double out[3]);
void simd_space_turn_back(const double q[4], const double v[3], double out[3]);

/* The product a b: orientation in the world of something with orientation b on a body with a. */
void simd_space_compose(const double a[4], const double b[4], double out[4]);

/* Roll about x, then pitch about y, then yaw about z, all axes of the world. */
ach_orientation_3d_t simd_space_angles(const double q[4]);
void simd_space_quaternion(const ach_orientation_3d_t *angles, double q[4]);

ach_pose3d_t simd_space_pose(const double position[3], const double q[4]);

#endif
