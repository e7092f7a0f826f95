/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * boxes.c - many boxes that slide and turn on a plane with walls around
 *
 * The cost of a step depends on the current collisions: so the computing time of physics varies
 * from step to step.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/options.h"
#include "ode.h"

static double boxes_chance(uint64_t *state, double low, double high)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

struct boxes_start {
    double speed, height;
};

static void add_box(struct phys_ode *o, size_t i, double x, double y,
                    const struct boxes_start *start, uint64_t *random)
{
    double side[3], turn = boxes_chance(random, -M_PI, M_PI),
                    way = boxes_chance(random, -M_PI, M_PI);
    double speed;
    char name[32];
    dBodyID b;
    dMass m;
    int k;

    for (k = 0; k < 3; k++)
        side[k] = boxes_chance(random, 0.1, 0.3);
    speed = start->speed * boxes_chance(random, 0.2, 1);
    snprintf(name, sizeof(name), "box%zu", i);
    b = phys_ode_add_body(o, name, i);
    dMassSetBox(&m, 500, side[0], side[1], side[2]);
    dBodySetMass(b, &m);
    dBodySetPosition(b, x, y, side[2] / 2 + boxes_chance(random, 0, start->height));
    dBodySetQuaternion(b, (dQuaternion){cos(turn / 2), 0, 0, sin(turn / 2)});
    dBodySetLinearVel(b, speed * cos(way), speed * sin(way), 0);
    dBodySetAngularVel(b, boxes_chance(random, -5, 5), boxes_chance(random, -5, 5),
                       boxes_chance(random, -5, 5));
    phys_ode_attach(o, dCreateBox(o->space, side[0], side[1], side[2]), i);
    phys_ode_body_look(&o->body[i], INFINITY);
}

/* Each box begins in its own square, so that no two overlap. */
static bool boxes_build(struct phys_ode *o, ach_section_t *s)
{
    size_t i, n = (size_t)phys_option_count(s, "count", 1000, 1, PHYS_ODE_BODIES);
    size_t side = (size_t)ceil(sqrt((double)n));
    double square = ach_section_length(s, "square", 0.5);
    struct boxes_start start = {ach_section_length(s, "speed", 2),
                                ach_section_length(s, "height", 0.3)};
    uint64_t random = (uint64_t)ach_section_int(s, "seed", 1);

    o->friction = phys_option_from_zero(s, "friction", 0.02);
    o->bounce = phys_option_from_zero(s, "bounce", 0.9);
    if (!(square >= 0.45))
        ach_section_refuse(s, "square", 0, "a length of at least 0.45 m");
    if (ach_section_failed(s))
        return true;
    if (!phys_ode_reserve(o, n))
        return false;
    phys_ode_walls(o, square * (double)side, square * (double)side);
    for (i = 0; i < n; i++) {
        size_t row = i / side;

        add_box(o, i, square * ((double)(i - row * side) + 0.5 - 0.5 * (double)side),
                square * ((double)row + 0.5 - 0.5 * (double)side), &start, &random);
    }
    return true;
}

const struct phys_ode_model phys_ode_boxes = {
    .name = "boxes", .quick = true, .build = boxes_build, .collides = true, .movable = true};
