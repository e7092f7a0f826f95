/* SPDX-License-Identifier: BSD-3-Clause */
/* joint.c - hinges and sliders: what drives them, and how they are */
#include <ach.h>
#include <math.h>

#include "../common/servo.h"
#include "ode.h"

static bool turns(const struct achi_ode_joint *j)
{
    return j->info.kind == ACH_JOINT_TURNS;
}

static double rate(const struct achi_ode_joint *j)
{
    return turns(j) ? dJointGetHingeAngleRate(j->id) : dJointGetSliderPositionRate(j->id);
}

static double measure(const struct achi_ode_joint *j)
{
    return turns(j) ? dJointGetHingeAngle(j->id) : dJointGetSliderPosition(j->id);
}

static void set(const struct achi_ode_joint *j, int parameter, double value)
{
    if (turns(j))
        dJointSetHingeParam(j->id, parameter, value);
    else
        dJointSetSliderParam(j->id, parameter, value);
}

static void push(const struct achi_ode_joint *j, double effort)
{
    if (turns(j))
        dJointAddHingeTorque(j->id, effort);
    else
        dJointAddSliderForce(j->id, effort);
}

/* ODE says where a joint is relative to where it was built; it begins at that position. */
void achi_ode_joint_begin(struct achi_ode_joint *j, double position)
{
    j->measured = measure(j);
    j->state = (ach_joint_state_t){.position = position, .velocity = rate(j)};
    if (isfinite(j->info.lowest))
        set(j, dParamLoStop, j->info.lowest);
    if (isfinite(j->info.highest))
        set(j, dParamHiStop, j->info.highest);
}

/* For a motor: what velocity. */
static double target(const struct achi_ode_joint *j)
{
    if (j->how == ACH_DRIVE_VELOCITY)
        return j->value;
    return achi_servo_approach(j->value - j->state.position, j->servo,
                               0.5 * j->info.strength / j->inertia);
}

void achi_ode_joint_push(struct achi_ode_joint *j, double erp)
{
    double effort = -j->damping * rate(j);

    set(j, dParamStopERP, erp);
    if (j->how == ACH_DRIVE_EFFORT) {
        set(j, dParamFMax, 0);
        effort += j->value;
    } else {
        set(j, dParamFMax, j->info.strength);
        set(j, dParamVel, target(j));
    }
    push(j, effort);
}

/*
 * What a motor did along its axis, from what the joint as a whole did to its first body. The
 * forces at the anchor act on the body's centre with a lever, and that part is not the motor's.
 */
static double motor(const struct achi_ode_joint *j)
{
    const dReal *f = j->feedback.f1, *t = j->feedback.t1,
                *p = dBodyGetPosition(dJointGetBody(j->id, 0));
    dVector3 axis, r, lever;

    if (!turns(j)) {
        dJointGetSliderAxis(j->id, axis);
        return dCalcVectorDot3(f, axis);
    }
    dJointGetHingeAxis(j->id, axis);
    dJointGetHingeAnchor(j->id, r);
    dSubtractVectors3(r, r, p);
    dCalcVectorCross3(lever, r, f);
    return dCalcVectorDot3(t, axis) - dCalcVectorDot3(lever, axis);
}

void achi_ode_joint_look(struct achi_ode_joint *j, double h)
{
    double now = measure(j), v = rate(j), way = now - j->measured;

    j->state.position += turns(j) ? remainder(way, 2 * M_PI) : way;
    j->state.acceleration = (v - j->state.velocity) / h;
    j->state.velocity = v;
    j->state.effort = j->how == ACH_DRIVE_EFFORT ? j->value : motor(j);
    j->measured = now;
}

ach_status_t achi_ode_joint_drive(void *mechanism, size_t joint, enum ach_drive how, double value)
{
    struct achi_ode_joint *j = &((struct achi_ode *)mechanism)->joint[joint];
    double limit = j->info.strength;

    if (!(limit > 0))
        return ach_errstr_set(ACH_ENOTSUP, "nothing drives joint %s: its strength is 0",
                              j->info.name);
    j->how = how;
    j->value = how == ACH_DRIVE_EFFORT ? fmin(limit, fmax(-limit, value)) : value;
    if (how == ACH_DRIVE_EFFORT)
        j->state.effort = j->value;
    return ACH_OK;
}
