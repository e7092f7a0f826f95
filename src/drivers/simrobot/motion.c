/* SPDX-License-Identifier: BSD-3-Clause */
#include "motion.h"

#include <math.h>

#include "random.h"

/* A wall within this distance counts as touching, in m. */
#define SKIN 0.002

static double approach(double from, double to, double by)
{
    return to > from + by ? from + by : to < from - by ? from - by : to;
}

static double within(double v, double limit)
{
    return v > limit ? limit : v < -limit ? -limit : v;
}

static void accelerate(struct drv_sim_motion *m, double dt)
{
    struct drv_sim_pair want = drv_sim_command_follow(m);

    m->speed.ahead =
        approach(m->speed.ahead, within(want.ahead, m->max.ahead), m->acceleration.ahead * dt);
    m->speed.turn =
        approach(m->speed.turn, within(want.turn, m->max.turn), m->acceleration.turn * dt);
}

bool drv_sim_motion_fits(const struct drv_sim_motion *m, const struct drv_map *w,
                         const ach_pose2d_t *pose)
{
    double angle;

    return drv_sim_world_nearest(w, pose->px, pose->py, m->radius, &angle) >= m->radius;
}

/* Half the turn, the whole way, the other half: accurate enough for small steps. */
static ach_pose2d_t moved(const ach_pose2d_t *pose, double way, double turn)
{
    double a = pose->pa + turn / 2;

    return (ach_pose2d_t){.px = pose->px + way * cos(a),
                          .py = pose->py + way * sin(a),
                          .pa = drv_sim_turn(pose->pa + turn)};
}

/* Move as far as the walls permit. Returns the distance. */
static double advance(struct drv_sim_motion *m, const struct drv_map *w, double way, double turn)
{
    ach_pose2d_t to = moved(&m->truth, way, turn);
    double part = way;
    int i;

    m->blocked = !drv_sim_motion_fits(m, w, &to);
    if (m->blocked)
        for (way = 0, i = 0; i < 6; i++) {
            part /= 2;
            to = moved(&m->truth, way + part, turn);
            if (drv_sim_motion_fits(m, w, &to))
                way += part;
        }
    m->truth = moved(&m->truth, way, turn);
    if (m->blocked)
        m->speed.ahead = 0;
    return way;
}

static void feel(struct drv_sim_motion *m, const struct drv_map *w)
{
    double reach = m->radius + SKIN, angle;

    m->touching = drv_sim_world_nearest(w, m->truth.px, m->truth.py, reach, &angle) < reach;
    if (m->touching)
        m->contact = drv_sim_turn(angle - m->truth.pa);
}

/* Odometry errors grow with the distance: drift linearly, noise with its square root. */
static void count_wheels(struct drv_sim_motion *m, double way, double turn)
{
    double seen = way * (1 + m->drift.ahead), turned = turn * (1 + m->drift.turn);

    if (m->noise.ahead > 0)
        seen += m->noise.ahead * sqrt(fabs(way)) * drv_sim_normal(&m->random);
    if (m->noise.turn > 0)
        turned += m->noise.turn * sqrt(fabs(turn)) * drv_sim_normal(&m->random);
    m->odometry = moved(&m->odometry, seen, turned);
}

void drv_sim_motion_step(struct drv_sim_motion *m, const struct drv_map *w, double dt)
{
    double turn, way;

    accelerate(m, dt);
    turn = m->speed.turn * dt;
    way = advance(m, w, m->speed.ahead * dt, turn);
    feel(m, w);
    count_wheels(m, way, turn);
}
