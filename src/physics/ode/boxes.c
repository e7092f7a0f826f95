/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * boxes.c - many boxes that slide and turn on a plane with walls around
 *
 * What a step costs depends on who meets whom just then: physics that never takes the
 * same time twice.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/options.h"
#include "ode.h"

static double chance(uint64_t *state, double low, double high)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

struct start {
    double speed, height;
};

static void add_box(struct achi_ode *o, size_t i, double x, double y, const struct start *start,
                    uint64_t *random)
{
    double side[3], turn = chance(random, -M_PI, M_PI), way = chance(random, -M_PI, M_PI);
    double speed;
    char name[32];
    dBodyID b;
    dMass m;
    int k;

    for (k = 0; k < 3; k++)
        side[k] = chance(random, 0.1, 0.3);
    speed = start->speed * chance(random, 0.2, 1);
    snprintf(name, sizeof(name), "box%zu", i);
    b = achi_ode_add_body(o, name, i);
    dMassSetBox(&m, 500, side[0], side[1], side[2]);
    dBodySetMass(b, &m);
    dBodySetPosition(b, x, y, side[2] / 2 + chance(random, 0, start->height));
    dBodySetQuaternion(b, (dQuaternion){cos(turn / 2), 0, 0, sin(turn / 2)});
    dBodySetLinearVel(b, speed * cos(way), speed * sin(way), 0);
    dBodySetAngularVel(b, chance(random, -5, 5), chance(random, -5, 5), chance(random, -5, 5));
    achi_ode_attach(o, dCreateBox(o->space, side[0], side[1], side[2]), i);
    achi_ode_body_look(&o->body[i], INFINITY);
}

/* Each begins in a square of its own, so that none is in another one. */
static bool build(struct achi_ode *o, ach_section_t *s)
{
    size_t i, n = (size_t)achi_option_count(s, "count", 1000, 1, ACHI_ODE_BODIES);
    size_t side = (size_t)ceil(sqrt((double)n));
    double square = ach_section_length(s, "square", 0.5);
    struct start start = {ach_section_length(s, "speed", 2), ach_section_length(s, "height", 0.3)};
    uint64_t random = (uint64_t)ach_section_int(s, "seed", 1);

    o->friction = achi_option_from_zero(s, "friction", 0.02);
    o->bounce = achi_option_from_zero(s, "bounce", 0.9);
    if (!(square >= 0.45))
        ach_section_refuse(s, "square", 0, "a length of at least 0.45 m");
    if (ach_section_failed(s))
        return true;
    if (!achi_ode_reserve(o, n))
        return false;
    achi_ode_walls(o, square * (double)side, square * (double)side);
    for (i = 0; i < n; i++) {
        size_t row = i / side;

        add_box(o, i, square * ((double)(i - row * side) + 0.5 - 0.5 * (double)side),
                square * ((double)row + 0.5 - 0.5 * (double)side), &start, &random);
    }
    return true;
}

const struct achi_ode_model achi_ode_boxes = {
    .name = "boxes", .quick = true, .build = build, .collides = true, .movable = true};
