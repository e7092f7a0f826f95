/* SPDX-License-Identifier: BSD-3-Clause */
/* joint.c - create hinges and sliders, drive them, and read their states */
#include <ach.h>
#include <math.h>

#include "../common/servo.h"
#include "ode.h"

static bool ode_turns(const struct phys_ode_joint *j)
{
    return j->info.kind == ACH_JOINT_TURNS;
}

static double rate(const struct phys_ode_joint *j)
{
    return ode_turns(j) ? dJointGetHingeAngleRate(j->id) : dJointGetSliderPositionRate(j->id);
}

static double measure(const struct phys_ode_joint *j)
{
    return ode_turns(j) ? dJointGetHingeAngle(j->id) : dJointGetSliderPosition(j->id);
}

static void set(const struct phys_ode_joint *j, int parameter, double value)
{
    if (ode_turns(j))
        dJointSetHingeParam(j->id, parameter, value);
    else
        dJointSetSliderParam(j->id, parameter, value);
}

static void push(const struct phys_ode_joint *j, double effort)
{
    if (ode_turns(j))
        dJointAddHingeTorque(j->id, effort);
    else
        dJointAddSliderForce(j->id, effort);
}

/* ODE measures a joint relative to its pose when built; position is its value at the start. */
void phys_ode_joint_begin(struct phys_ode_joint *j, double position)
{
    j->measured = measure(j);
    j->state = (ach_joint_state_t){.position = position, .velocity = rate(j)};
    if (isfinite(j->info.lowest))
        set(j, dParamLoStop, j->info.lowest);
    if (isfinite(j->info.highest))
        set(j, dParamHiStop, j->info.highest);
}

/* Target velocity of the motor. */
static double target(const struct phys_ode_joint *j)
{
    if (j->how == ACH_DRIVE_VELOCITY)
        return j->value;
    return phys_servo_approach(j->value - j->state.position, j->servo,
                               0.5 * j->info.strength / j->inertia);
}

void phys_ode_joint_push(struct phys_ode_joint *j, double erp)
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
 * The effort of the motor along its axis, from the joint's feedback on its first body. The forces
 * at the anchor also cause a torque about the body's centre, which is subtracted.
 */
static double motor(const struct phys_ode_joint *j)
{
    const dReal *f = j->feedback.f1, *t = j->feedback.t1,
                *p = dBodyGetPosition(dJointGetBody(j->id, 0));
    dVector3 axis, r, lever;

    if (!ode_turns(j)) {
        dJointGetSliderAxis(j->id, axis);
        return dCalcVectorDot3(f, axis);
    }
    dJointGetHingeAxis(j->id, axis);
    dJointGetHingeAnchor(j->id, r);
    dSubtractVectors3(r, r, p);
    dCalcVectorCross3(lever, r, f);
    return dCalcVectorDot3(t, axis) - dCalcVectorDot3(lever, axis);
}

void phys_ode_joint_look(struct phys_ode_joint *j, double h)
{
    double now = measure(j), v = rate(j), way = now - j->measured;

    j->state.position += ode_turns(j) ? remainder(way, 2 * M_PI) : way;
    j->state.acceleration = (v - j->state.velocity) / h;
    j->state.velocity = v;
    j->state.effort = j->how == ACH_DRIVE_EFFORT ? j->value : motor(j);
    j->measured = now;
}

ach_status_t phys_ode_joint_drive(void *mechanism, size_t joint, enum ach_drive how, double value)
{
    struct phys_ode_joint *j = &((struct phys_ode *)mechanism)->joint[joint];
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

struct phys_ode_joint *phys_ode_add_joint(struct phys_ode *o, dJointID id, const char *name,
                                          enum ach_joint_kind kind, double strength)
{
    struct phys_ode_joint *j = &o->joint[o->n_joints++];

    j->id = id;
    j->info.name = name;
    j->info.kind = kind;
    j->info.lowest = -INFINITY;
    j->info.highest = INFINITY;
    j->info.strength = strength;
    dJointSetFeedback(id, &j->feedback);
    return j;
}
