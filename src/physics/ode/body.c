/* SPDX-License-Identifier: BSD-3-Clause */
/* body.c - create bodies, read their states, and place them */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ode.h"

/* ODE does not store accelerations: compute them from the change of velocity in the last step. */
void phys_ode_body_look(struct phys_ode_body *b, double h)
{
    const dReal *v = dBodyGetLinearVel(b->id);
    int i;

    for (i = 0; i < 3; i++) {
        b->acceleration[i] = (v[i] - b->velocity[i]) / h;
        b->velocity[i] = v[i];
    }
}

void phys_ode_body_get(void *mechanism, size_t body, ach_body_state_t *state)
{
    const struct phys_ode_body *b = &((struct phys_ode *)mechanism)->body[body];

    memcpy(state->position, dBodyGetPosition(b->id), sizeof(state->position));
    memcpy(state->orientation, dBodyGetQuaternion(b->id), sizeof(state->orientation));
    memcpy(state->velocity, dBodyGetLinearVel(b->id), sizeof(state->velocity));
    memcpy(state->rotation, dBodyGetAngularVel(b->id), sizeof(state->rotation));
    memcpy(state->acceleration, b->acceleration, sizeof(state->acceleration));
}

/* Move a part rigidly with the body that it belongs to. */
static void carry(struct phys_ode_body *b, dBodyID whole, const double position[3],
                  const dQuaternion turn)
{
    dVector3 local, moved;
    dQuaternion q, relative;
    dMatrix3 r;

    dBodyGetPosRelPoint(whole, dBodyGetPosition(b->id)[0], dBodyGetPosition(b->id)[1],
                        dBodyGetPosition(b->id)[2], local);
    dQMultiply1(relative, dBodyGetQuaternion(whole), dBodyGetQuaternion(b->id));
    dQMultiply0(q, turn, relative);
    dQtoR(turn, r);
    dMultiply0_331(moved, r, local);
    dBodySetPosition(b->id, position[0] + moved[0], position[1] + moved[1], position[2] + moved[2]);
    dBodySetQuaternion(b->id, q);
}

static void stop(struct phys_ode_body *b)
{
    dBodySetLinearVel(b->id, 0, 0, 0);
    dBodySetAngularVel(b->id, 0, 0, 0);
    memset(b->velocity, 0, sizeof(b->velocity));
    memset(b->acceleration, 0, sizeof(b->acceleration));
}

ach_status_t phys_ode_body_put(void *mechanism, size_t body, const double position[3],
                               const double orientation[4])
{
    struct phys_ode *o = mechanism;
    dQuaternion turn = {orientation[0], orientation[1], orientation[2], orientation[3]};
    size_t i;

    if (!o->model->movable || o->body[body].whole != body)
        return ach_errstr_set(ACH_ENOTSUP, "the pose of %s of %s cannot be set", o->body[body].name,
                              o->model->name);
    for (i = 0; i < o->n_bodies; i++)
        if (o->body[i].whole == body && i != body) {
            carry(&o->body[i], o->body[body].id, position, turn);
            stop(&o->body[i]);
        }
    dBodySetPosition(o->body[body].id, position[0], position[1], position[2]);
    dBodySetQuaternion(o->body[body].id, turn);
    stop(&o->body[body]);
    return ACH_OK;
}

static double energy_of(const struct phys_ode *o, dBodyID b)
{
    const dReal *v = dBodyGetLinearVel(b), *w = dBodyGetAngularVel(b);
    dVector3 own, moment;
    dMass m;

    dBodyGetMass(b, &m);
    dBodyVectorFromWorld(b, w[0], w[1], w[2], own);
    dMultiply0_331(moment, m.I, own);
    return 0.5 * m.mass * dCalcVectorDot3(v, v) + 0.5 * dCalcVectorDot3(own, moment) +
           m.mass * o->gravity * dBodyGetPosition(b)[2];
}

double phys_ode_energy(void *mechanism)
{
    const struct phys_ode *o = mechanism;
    double energy = 0;
    size_t i;

    for (i = 0; i < o->n_bodies; i++)
        energy += energy_of(o, o->body[i].id);
    return energy;
}

bool phys_ode_reserve(struct phys_ode *o, size_t n)
{
    o->body = calloc(n, sizeof(*o->body));
    return o->body;
}

dBodyID phys_ode_add_body(struct phys_ode *o, const char *name, size_t whole)
{
    struct phys_ode_body *b = &o->body[o->n_bodies++];

    b->id = dBodyCreate(o->world);
    b->whole = whole;
    snprintf(b->name, sizeof(b->name), "%s", name);
    return b->id;
}
