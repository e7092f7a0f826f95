/* SPDX-License-Identifier: BSD-3-Clause */
/* collide.c - collisions of shapes, and rays */
#include <stdint.h>

#include "ode.h"

#define CONTACTS 8 /* most contact points of two shapes */

/* Number of a shape's body, from 1; 0: a static shape. */
static size_t number(dGeomID g)
{
    return (size_t)(uintptr_t)dGeomGetData(g);
}

static size_t whole(const struct phys_ode *o, dGeomID g)
{
    size_t n = number(g);

    return n ? o->body[n - 1].whole + 1 : 0;
}

dGeomID phys_ode_attach(struct phys_ode *o, dGeomID shape, size_t body)
{
    dGeomSetBody(shape, o->body[body].id);
    dGeomSetData(shape, (void *)(uintptr_t)(body + 1)); /* NOLINT(performance-no-int-to-ptr) */
    return shape;
}

/* A floor, and walls around it. */
void phys_ode_walls(struct phys_ode *o, double x, double y)
{
    dCreatePlane(o->space, 0, 0, 1, 0);
    dCreatePlane(o->space, 1, 0, 0, -x / 2);
    dCreatePlane(o->space, -1, 0, 0, -x / 2);
    dCreatePlane(o->space, 0, 1, 0, -y / 2);
    dCreatePlane(o->space, 0, -1, 0, -y / 2);
}

static void meet(void *data, dGeomID a, dGeomID b)
{
    struct phys_ode *o = data;
    bool smooth =
        dGeomGetCategoryBits(a) == PHYS_ODE_SMOOTH || dGeomGetCategoryBits(b) == PHYS_ODE_SMOOTH;
    dContact c[CONTACTS];
    int i, n;

    if (whole(o, a) == whole(o, b))
        return;
    n = dCollide(a, b, CONTACTS, &c[0].geom, sizeof(c[0]));
    for (i = 0; i < n; i++) {
        c[i].surface = (dSurfaceParameters){.mode = dContactBounce | dContactApprox1,
                                            .mu = smooth ? 0 : o->friction,
                                            .bounce = o->bounce,
                                            .bounce_vel = 0.1};
        dJointAttach(dJointCreateContact(o->world, o->contacts, &c[i]), dGeomGetBody(a),
                     dGeomGetBody(b));
    }
}

void phys_ode_collide(struct phys_ode *o)
{
    dSpaceCollide(o->space, o, meet);
}

struct ray {
    const struct phys_ode *o;
    size_t whole;
    double nearest;
};

static void hit(void *data, dGeomID a, dGeomID b)
{
    struct ray *r = data;
    dGeomID other = dGeomGetClass(a) == dRayClass ? b : a;
    dContactGeom c;

    if (whole(r->o, other) == r->whole)
        return;
    if (dCollide(a, b, 1, &c, sizeof(c)) > 0 && c.depth < r->nearest)
        r->nearest = c.depth;
}

double phys_ode_ray(void *mechanism, size_t body, const double from[3], const double direction[3],
                    double limit)
{
    struct phys_ode *o = mechanism;
    struct ray r = {o, o->body[body].whole + 1, limit};
    dGeomID g;

    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
    g = dCreateRay(NULL, limit);
    dGeomRaySet(g, from[0], from[1], from[2], direction[0], direction[1], direction[2]);
    dGeomRaySetClosestHit(g, 1);
    dSpaceCollide2(g, (dGeomID)o->space, &r, hit);
    dGeomDestroy(g);
    return r.nearest;
}
