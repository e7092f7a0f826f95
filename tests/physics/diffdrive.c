/* SPDX-License-Identifier: BSD-3-Clause */
/* diffdrive.c - a robot on wheels: its motion matches that of its wheels; rays and walls */
#include "physics.h"

static ach_body_state_t base(const struct rig *r)
{
    ach_body_state_t s;

    phys_mechanism_body_get(r->m, phys_mechanism_body_find(r->m, "base"), &s);
    return s;
}

static double heading(const ach_body_state_t *s)
{
    return 2 * atan2(s->orientation[3], s->orientation[0]);
}

static void drive(struct rig *r, enum ach_drive how, double left, double right)
{
    CHECK_OK(phys_mechanism_joint_drive(r->m, phys_mechanism_joint_find(r->m, "left"), how, left));
    CHECK_OK(
        phys_mechanism_joint_drive(r->m, phys_mechanism_joint_find(r->m, "right"), how, right));
}

static void straight(void)
{
    struct rig r = rig_open("engine \"ode\" model \"diffdrive\" pose [1 -1 1.5707963]");
    ach_body_state_t s;

    drive(&r, ACH_DRIVE_VELOCITY, 5, 5);
    REQUIRE_OK(phys_mechanism_advance(r.m, 3000 * MS));
    s = base(&r);
    printf("straight: at %.3f %.3f, wheels turned by %.3f\n", s.position[0], s.position[1],
           rig_angle(&r));
    CHECK(fabs(s.position[0] - 1) < 0.01);
    CHECK(fabs(s.position[1] + 1 - 0.08 * rig_angle(&r)) < 0.02);
    CHECK(fabs(rig_angle(&r) - 15) < 0.5);
    CHECK(fabs(heading(&s) - M_PI / 2) < 0.01);
    rig_close(&r);
}

/* One wheel forward, the other back: it turns on the spot, to the left. */
static void spin(void)
{
    struct rig r = rig_open("engine \"ode\" model \"diffdrive\"");
    ach_body_state_t s;

    drive(&r, ACH_DRIVE_VELOCITY, -2, 2);
    REQUIRE_OK(phys_mechanism_advance(r.m, 2000 * MS));
    s = base(&r);
    printf("spin: at %.3f %.3f, by %.3f rad\n", s.position[0], s.position[1], heading(&s));
    CHECK(fabs(heading(&s) - 2 * 2 * 2 * 0.08 / 0.34) < 0.1);
    CHECK(hypot(s.position[0], s.position[1]) < 0.2);
    drive(&r, ACH_DRIVE_POSITION, 0, 0);
    REQUIRE_OK(phys_mechanism_advance(r.m, 6000 * MS));
    CHECK(fabs(rig_angle(&r)) < 0.01);
    s = base(&r);
    printf("spin: back at %.3f rad\n", heading(&s));
    CHECK(fabs(heading(&s)) < 0.1);
    rig_close(&r);
}

/* Rays measure distances to walls and obstacles; a wall stops the robot. */
static void walls(void)
{
    struct rig r = rig_open("engine \"ode\" model \"diffdrive\" room [6 4] pose [0.5 0 0]\n"
                            "obstacles [0.5 1.5 0.4 0.2 -1 0 0.5 0.5]");
    size_t b = phys_mechanism_body_find(r.m, "base");
    const double from[3] = {0.5, 0, 0.15};

    CHECK(fabs(phys_mechanism_ray(r.m, b, from, (double[]){1, 0, 0}, 8) - 2.5) < 1e-6);
    CHECK(fabs(phys_mechanism_ray(r.m, b, from, (double[]){0, 1, 0}, 8) - 1.4) < 1e-6);
    CHECK(fabs(phys_mechanism_ray(r.m, b, from, (double[]){0, -1, 0}, 8) - 2) < 1e-6);
    CHECK(fabs(phys_mechanism_ray(r.m, b, from, (double[]){-1, 0, 0}, 8) - 1.25) < 1e-6);
    CHECK(phys_mechanism_ray(r.m, b, from, (double[]){1, 0, 0}, 2) == 2);
    drive(&r, ACH_DRIVE_EFFORT, 0.3, 0.3);
    REQUIRE_OK(phys_mechanism_advance(r.m, 5000 * MS));
    printf("wall: stopped at %.3f\n", base(&r).position[0]);
    CHECK(base(&r).position[0] > 2.6 && base(&r).position[0] < 2.85);
    rig_close(&r);
}

static void put(void)
{
    struct rig r = rig_open("engine \"ode\" model \"diffdrive\"");
    double at[3] = {2, 3, base(&r).position[2]};
    const double turn[4] = {cos(0.5), 0, 0, sin(0.5)};
    ach_body_state_t s;

    drive(&r, ACH_DRIVE_VELOCITY, 1, 1);
    REQUIRE_OK(phys_mechanism_advance(r.m, 500 * MS));
    CHECK_OK(phys_mechanism_body_put(r.m, 0, at, turn));
    CHECK_STATUS(phys_mechanism_body_put(r.m, 1, at, turn), ACH_ENOTSUP);
    drive(&r, ACH_DRIVE_VELOCITY, 0, 0);
    REQUIRE_OK(phys_mechanism_advance(r.m, 1000 * MS));
    s = base(&r);
    CHECK(hypot(s.position[0] - 2, s.position[1] - 3) < 0.01);
    CHECK(fabs(heading(&s) - 1) < 0.01);
    rig_close(&r);
}

int main(void)
{
    rig_need("ode");
    straight();
    spin();
    walls();
    put();
    return check_result();
}
