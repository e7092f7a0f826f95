/* SPDX-License-Identifier: BSD-3-Clause */
/* translate_pose.c - where robots are and go: position2d, position3d, localize, planner, gps */
#include <math.h>

#include "translate.h"

static void pose_odometry(const struct feed_translation *t, const ach_pose3d_t *pos,
                          const ach_pose3d_t *vel)
{
    const struct feed_device *d = t->device;

    feed_cdr_begin(t->cdr);
    feed_part_header(t, d->odom);
    feed_cdr_text(t->cdr, d->base);
    feed_part_pose3d(t->cdr, pos);
    feed_cdr_f64s(t->cdr, 0, 36);
    feed_part_vector(t->cdr, vel->px, vel->py, vel->pz);
    feed_part_vector(t->cdr, vel->proll, vel->ppitch, vel->pyaw);
    feed_cdr_f64s(t->cdr, 0, 36);
    feed_translate_emit(t, "odom", &feed_ros_odometry);
    feed_part_tf(t, d->odom, d->base, pos);
    feed_translate_emit(t, "tf", &feed_ros_tf);
}

/* Only the first device of a robot is in the frame `odom`. */
static bool pose_is_first(const struct feed_translation *t)
{
    return t->sink->odometry && t->device->index == 0;
}

static void pose_remember(const struct feed_translation *t, const ach_pose2d_t *pos)
{
    struct feed_odometry *o = t->sink->odometry;
    size_t i = 0;

    if (!pose_is_first(t))
        return;
    while (i < o->n && o->robots[i].robot != t->device->robot)
        i++;
    if (i == FEED_ROBOTS_MAX)
        return;
    o->n = i < o->n ? o->n : i + 1;
    o->robots[i].robot = t->device->robot;
    o->robots[i].x = pos->px;
    o->robots[i].y = pos->py;
    o->robots[i].angle = pos->pa;
}

/* Odometry drifts. The transform from the map to its frame puts the robot where it is on the map. */
static void pose_correct(const struct feed_translation *t, const ach_pose2d_t *on_map)
{
    const struct feed_odometry *o = t->sink->odometry;
    ach_pose3d_t pose = {.px = 0};
    double c, s;
    size_t i = 0;

    while (pose_is_first(t) && i < o->n && o->robots[i].robot != t->device->robot)
        i++;
    if (!pose_is_first(t) || i == o->n)
        return;
    pose.pyaw = on_map->pa - o->robots[i].angle;
    c = cos(pose.pyaw);
    s = sin(pose.pyaw);
    pose.px = on_map->px - c * o->robots[i].x + s * o->robots[i].y;
    pose.py = on_map->py - s * o->robots[i].x - c * o->robots[i].y;
    feed_part_tf(t, t->device->map, t->device->odom, &pose);
    feed_translate_emit(t, "tf", &feed_ros_tf);
}

static bool pose_position2d(const struct feed_translation *t, const void *body)
{
    const ach_position2d_data_t *state = body;
    const ach_pose3d_t pos = feed_part_flat(&state->pos), vel = feed_part_flat(&state->vel);

    pose_remember(t, &state->pos);
    pose_odometry(t, &pos, &vel);
    return true;
}

static bool pose_position3d(const struct feed_translation *t, const void *body)
{
    const ach_position3d_data_t *state = body;

    pose_odometry(t, &state->pos, &state->vel);
    return true;
}

/* The covariance of x, y and the angle, as a matrix of six. */
static void pose_covariance(struct feed_cdr *c, const double cov[6])
{
    static const unsigned places[6][2] = {{0, 0}, {7, 7}, {35, 35}, {1, 6}, {11, 31}, {5, 30}};
    double matrix[36] = {0};
    unsigned i;

    for (i = 0; i < 6; i++)
        matrix[places[i][0]] = matrix[places[i][1]] = cov[i];
    for (i = 0; i < 36; i++)
        feed_cdr_f64(c, matrix[i]);
}

/* The hypothesis with the largest weight. */
static bool pose_localize(const struct feed_translation *t, const void *body)
{
    const ach_localize_data_t *l = body;
    const ach_localize_hypoth_t *best = l->hypoths;
    uint32_t i;

    if (l->hypoths_count == 0)
        return false;
    for (i = 1; i < l->hypoths_count; i++)
        if (l->hypoths[i].alpha > best->alpha)
            best = &l->hypoths[i];
    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->map);
    feed_part_pose2d(t->cdr, &best->mean);
    pose_covariance(t->cdr, best->cov);
    feed_translate_emit(t, "pose", &feed_ros_pose_covariance);
    pose_correct(t, &best->mean);
    return true;
}

static void pose_stamped(const struct feed_translation *t, const ach_pose2d_t *pose)
{
    feed_part_header(t, t->device->map);
    feed_part_pose2d(t->cdr, pose);
}

/* The planner tells where the robot is, the next waypoint and the goal. */
static bool pose_planner(const struct feed_translation *t, const void *body)
{
    const ach_planner_data_t *p = body;
    const ach_pose2d_t *way[3];
    uint32_t i, n = 0;

    if (p->valid) {
        way[n++] = &p->pos;
        if (p->waypoint_idx >= 0 && !p->done)
            way[n++] = &p->waypoint;
        way[n++] = &p->goal;
    }
    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->map);
    feed_cdr_u32(t->cdr, n);
    for (i = 0; i < n; i++)
        pose_stamped(t, way[i]);
    feed_translate_emit(t, "path", &feed_ros_path);
    feed_cdr_begin(t->cdr);
    pose_stamped(t, &p->goal);
    feed_translate_emit(t, "goal", &feed_ros_pose_stamped);
    return true;
}

/* sensor_msgs/NavSatStatus */
enum { NO_FIX = -1, FIX = 0, GBAS_FIX = 2, SERVICE_GPS = 1 };

/* sensor_msgs/NavSatFix */
enum { COVARIANCE_UNKNOWN = 0, COVARIANCE_APPROXIMATED = 1 };

static bool pose_gps(const struct feed_translation *t, const void *body)
{
    const ach_gps_data_t *g = body;
    const bool known = g->err_horz > 0 && g->err_vert > 0;
    const double horizontal = known ? g->err_horz * g->err_horz : 0;
    const int status = g->quality == 0 ? NO_FIX : g->quality == 1 ? FIX : GBAS_FIX;

    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->frame);
    feed_cdr_u8(t->cdr, (uint8_t)status);
    feed_cdr_u16(t->cdr, SERVICE_GPS);
    feed_part_vector(t->cdr, g->latitude / 1e7, g->longitude / 1e7, g->altitude / 1e3);
    feed_part_vector(t->cdr, horizontal, 0, 0);
    feed_part_vector(t->cdr, 0, horizontal, 0);
    feed_part_vector(t->cdr, 0, 0, known ? g->err_vert * g->err_vert : 0);
    feed_cdr_u8(t->cdr, known ? COVARIANCE_APPROXIMATED : COVARIANCE_UNKNOWN);
    feed_translate_emit(t, "fix", &feed_ros_nav_sat_fix);
    return true;
}

const struct feed_rule feed_rules_pose[] = {
    {ACH_POSITION2D_CODE, ACH_POSITION2D_DATA_STATE, pose_position2d},
    {ACH_POSITION3D_CODE, ACH_POSITION3D_DATA_STATE, pose_position3d},
    {ACH_LOCALIZE_CODE, ACH_LOCALIZE_DATA_HYPOTHS, pose_localize},
    {ACH_PLANNER_CODE, ACH_PLANNER_DATA_STATE, pose_planner},
    {ACH_GPS_CODE, ACH_GPS_DATA_STATE, pose_gps},
    {0, 0, NULL},
};
