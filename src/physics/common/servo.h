/* SPDX-License-Identifier: BSD-3-Clause */
/* servo.h - how a joint is brought to a position */
#ifndef ACHI_SERVO_H
#define ACHI_SERVO_H

#include <math.h>

/*
 * How fast, when that far away: at a rate, 1/s, but never faster than that deceleration
 * can still stop. Half of what a motor can do leaves the other half to hold against gravity.
 */
static inline double achi_servo_approach(double way, double rate, double deceleration)
{
    return copysign(fmin(rate * fabs(way), sqrt(2 * deceleration * fabs(way))), way);
}

#endif
