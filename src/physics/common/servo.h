/* SPDX-License-Identifier: BSD-3-Clause */
/* servo.h - velocity profile of a joint that is driven to a position */
#ifndef PHYS_SERVO_H
#define PHYS_SERVO_H

#include <math.h>

/*
 * The velocity at distance way from the target: proportional to it with a rate in 1/s, but never
 * faster than the deceleration can still stop. Callers pass half of what the motor can do; the
 * other half remains to hold against gravity.
 */
static inline double phys_servo_approach(double way, double rate, double deceleration)
{
    return copysign(fmin(rate * fabs(way), sqrt(2 * deceleration * fabs(way))), way);
}

#endif
