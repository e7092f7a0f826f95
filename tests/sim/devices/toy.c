/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * toy.c - an engine for tests: a cart with two wheels in front of a wall
 *
 * It has no mass: wheels turn at the commanded speed, and stop at the wall at x = 4.
 * The option "break_at" makes it fail at that time.
 */
#include <ach.h>
#include <ach/physics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 0.1
#define TRACK 0.5
#define WALL 4.0

struct toy {
    double x, y, a, wheel[2], turned[2], now, break_at;
};

static ach_status_t create(ach_section_t *options, void **mechanism)
{
    struct toy *t = calloc(1, sizeof(*t));

    if (!t)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a toy");
    t->break_at = ach_section_double(options, "break_at", 1e9);
    *mechanism = t;
    return ACH_OK;
}

static double ahead(const struct toy *t)
{
    return (t->wheel[0] + t->wheel[1]) * RADIUS / 2;
}

static double turning(const struct toy *t)
{
    return (t->wheel[1] - t->wheel[0]) * RADIUS / TRACK;
}

static bool blocked(const struct toy *t)
{
    return t->x >= WALL && ahead(t) * cos(t->a) > 0;
}

/* Move straight or along an arc. */
static ach_status_t step(void *mechanism, int64_t duration)
{
    struct toy *t = mechanism;
    double dt = (double)duration * 1e-9, v = ahead(t), w = turning(t), mid = t->a + w * dt / 2;
    int i;

    t->now += dt;
    if (t->now > t->break_at)
        return ach_errstr_set(ACH_EINVAL, "the toy is broken");
    if (blocked(t))
        return ACH_OK;
    t->x = fmin(WALL, t->x + v * dt * cos(mid));
    t->y += v * dt * sin(mid);
    t->a += w * dt;
    for (i = 0; i < 2; i++)
        t->turned[i] += t->wheel[i] * dt;
    return ACH_OK;
}

static size_t two(void *mechanism)
{
    (void)mechanism;
    return 2;
}

static size_t one(void *mechanism)
{
    (void)mechanism;
    return 1;
}

static void joint_info(void *mechanism, size_t joint, ach_joint_info_t *info)
{
    (void)mechanism;
    *info = (ach_joint_info_t){.name = joint ? "right" : "left",
                               .lowest = -INFINITY,
                               .highest = INFINITY,
                               .strength = 1,
                               .axis = {0, 1, 0}};
}

static void joint_get(void *mechanism, size_t joint, ach_joint_state_t *state)
{
    const struct toy *t = mechanism;

    *state = (ach_joint_state_t){.position = t->turned[joint],
                                 .velocity = blocked(t) ? 0 : t->wheel[joint],
                                 .effort = blocked(t) ? 1 : 0};
}

static ach_status_t joint_drive(void *mechanism, size_t joint, enum ach_drive how, double value)
{
    if (how == ACH_DRIVE_POSITION)
        return ach_errstr_set(ACH_ENOTSUP, "a wheel has no position");
    ((struct toy *)mechanism)->wheel[joint] = how == ACH_DRIVE_VELOCITY ? value : 0;
    return ACH_OK;
}

static const char *body_name(void *mechanism, size_t body)
{
    (void)mechanism;
    (void)body;
    return "cart";
}

static void body_get(void *mechanism, size_t body, ach_body_state_t *state)
{
    const struct toy *t = mechanism;
    double v = blocked(t) ? 0 : ahead(t);

    (void)body;
    *state = (ach_body_state_t){.position = {t->x, t->y, 0.25},
                                .orientation = {cos(t->a / 2), 0, 0, sin(t->a / 2)},
                                .velocity = {v * cos(t->a), v * sin(t->a), 0},
                                .rotation = {0, 0, turning(t)}};
}

static ach_status_t body_put(void *mechanism, size_t body, const double position[3],
                             const double orientation[4])
{
    struct toy *t = mechanism;

    (void)body;
    t->x = position[0];
    t->y = position[1];
    t->a = 2 * atan2(orientation[3], orientation[0]);
    t->wheel[0] = t->wheel[1] = 0;
    return ACH_OK;
}

static double ray(void *mechanism, size_t body, const double from[3], const double direction[3],
                  double limit)
{
    double way = (WALL - from[0]) / direction[0];

    (void)mechanism;
    (void)body;
    return way >= 0 && way < limit ? way : limit;
}

static const ach_physics_class_t toy = {
    .version = ACH_PHYSICS_VERSION,
    .name = "toy",
    .create = create,
    .destroy = free,
    .step = step,
    .joints = two,
    .joint_info = joint_info,
    .joint_get = joint_get,
    .joint_drive = joint_drive,
    .bodies = one,
    .body_name = body_name,
    .body_get = body_get,
    .body_put = body_put,
    .ray = ray,
};

ACH_PHYSICS_PLUGIN(&toy)
