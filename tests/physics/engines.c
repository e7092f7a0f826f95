/* SPDX-License-Identifier: BSD-3-Clause */
/* engines.c - the same pendulum and cart in another engine, which argument 1 names */
#include "physics.h"

/* What differs between the engines. */
static const struct engine {
    const char *name, *pendulum, *cartpole;
    double bound; /* largest difference to the built-in engine in 2 s, with steps of 1 ms */
    double gain;  /* least factor by which steps of a tenth reduce the difference */
    double loose; /* tolerance of velocities and accelerations */
} engines[] = {
    {"ode", "engine \"ode\" model \"pendulum\" angle 2",
     "engine \"ode\" model \"cartpole\" angle 2", 0.01, 5, 0.2},
    {"mujoco", "engine \"mujoco\" model \"" MODELS "/pendulum.xml\" positions [2]",
     "engine \"mujoco\" model \"" MODELS "/cartpole.xml\" positions [0 2]", 1e-6, 1000, 1e-3},
};

/* The k-th command: an effort that changes, also between points of the time grid. */
static void command(struct rig *r, int k)
{
    CHECK_OK(phys_mechanism_joint_drive(r->m, 0, ACH_DRIVE_EFFORT, k % 40 < 20 ? 2 : -1));
    REQUIRE_OK(phys_mechanism_advance(r->m, k * INT64_C(10500000)));
}

static void go(struct rig *r, int commands)
{
    int k;

    for (k = 1; k <= commands; k++)
        command(r, k);
}

/* The largest difference of a joint to the built-in engine within 2 s. */
static double apart(const char *options, const char *built_in, size_t joint, double step)
{
    struct rig a, b = rig_open(built_in);
    double worst = 0;
    char text[500];
    int k;

    snprintf(text, sizeof(text), "%s step %.9f", options, step);
    a = rig_open(text);
    for (k = 1; k <= 190; k++) {
        worst = fmax(worst, fabs(rig_joint(&a, joint).position - rig_joint(&b, joint).position));
        CHECK(k > 1 || worst < 1e-12);
        command(&a, k);
        command(&b, k);
    }
    rig_close(&a);
    rig_close(&b);
    return worst;
}

/* The engine agrees with the built-in one, and more closely with shorter steps. */
static void agree(const struct engine *e)
{
    const char *p = "engine \"pendulum\" angle 2", *c = "engine \"cartpole\" angle 2";
    double d1 = apart(e->pendulum, p, 0, 0.001), d10 = apart(e->pendulum, p, 0, 0.01);
    double c0 = apart(e->cartpole, c, 0, 0.001), c1 = apart(e->cartpole, c, 1, 0.001);

    printf("%s: pendulum %.2g rad apart in 2 s, %.2g with steps of 10 ms; cart %.2g m, pole "
           "%.2g rad\n",
           e->name, d1, d10, c0, c1);
    CHECK(d1 < e->bound && c0 < e->bound && c1 < e->bound);
    CHECK(d1 < d10 / e->gain);
}

static void quaternion(const double *q, double angle)
{
    double s = q[0] * cos(angle / 2) - q[2] * sin(angle / 2);

    CHECK(fabs(fabs(s) - 1) < 1e-6);
}

/* Bodies, axes and energy have the same meaning as in the built-in engine. */
static void conventions(const struct engine *e)
{
    struct rig r = rig_open(e->pendulum);
    ach_joint_info_t info;
    ach_body_state_t s;
    double e0 = phys_mechanism_energy(r.m);

    CHECK(phys_mechanism_joint_find(r.m, "hinge") == 0);
    CHECK(phys_mechanism_joint_find(r.m, "none") == PHYS_MECHANISM_NONE);
    REQUIRE_OK(phys_mechanism_advance(r.m, 300 * MS));
    phys_mechanism_joint_info(r.m, 0, &info);
    CHECK(info.kind == ACH_JOINT_TURNS && fabs(info.axis[1] + 1) < 1e-9);
    phys_mechanism_body_get(r.m, phys_mechanism_body_find(r.m, "bob"), &s);
    CHECK(fabs(s.position[0] - sin(rig_angle(&r))) < 1e-3);
    CHECK(fabs(s.position[2] + cos(rig_angle(&r))) < 1e-3);
    CHECK(fabs(s.velocity[0] - cos(rig_angle(&r)) * rig_joint(&r, 0).velocity) < e->loose);
    CHECK(fabs(s.rotation[1] + rig_joint(&r, 0).velocity) < 1e-6);
    quaternion(s.orientation, rig_angle(&r));
    CHECK(fabs(phys_mechanism_energy(r.m) - e0) < 0.05);
    rig_close(&r);
}

/* The accelerations of the joint and the bob satisfy the equation of motion. */
static void accelerations(const struct engine *e)
{
    struct rig r = rig_open(e->pendulum);
    ach_body_state_t s;
    double a, v;

    REQUIRE_OK(phys_mechanism_advance(r.m, 500 * MS));
    phys_mechanism_body_get(r.m, phys_mechanism_body_find(r.m, "bob"), &s);
    a = rig_joint(&r, 0).acceleration;
    v = rig_joint(&r, 0).velocity;
    CHECK(fabs(a + 9.81 / 1.001 * sin(rig_angle(&r))) < e->loose);
    CHECK(fabs(s.acceleration[0] - (cos(rig_angle(&r)) * a - sin(rig_angle(&r)) * v * v)) <
          e->loose);
    CHECK(fabs(s.acceleration[2] - (sin(rig_angle(&r)) * a + cos(rig_angle(&r)) * v * v)) <
          e->loose);
    rig_close(&r);
}

/* The position of a joint does not wrap around after several turns. */
static void turns(const struct engine *e)
{
    struct rig r = rig_open(e->pendulum);

    CHECK_OK(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_EFFORT, 30));
    REQUIRE_OK(phys_mechanism_advance(r.m, 2000 * MS));
    CHECK(rig_angle(&r) > 40 && rig_angle(&r) < 70);
    rig_close(&r);
}

/* A motor that holds a position has the effort that balances gravity. */
static void drives(const struct engine *e)
{
    struct rig r = rig_open(e->pendulum);
    ach_status_t status = phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_VELOCITY, 3);

    CHECK_OK(status);
    REQUIRE_OK(phys_mechanism_advance(r.m, 500 * MS));
    CHECK(fabs(rig_joint(&r, 0).velocity - 3) < 0.01);
    CHECK_OK(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_POSITION, 1));
    REQUIRE_OK(phys_mechanism_advance(r.m, 3000 * MS));
    CHECK(fabs(rig_angle(&r) - 1) < 0.001);
    CHECK(fabs(rig_joint(&r, 0).effort - 9.81 * sin(1)) < 0.01);
    CHECK_OK(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_EFFORT, 0));
    CHECK(fabs(rig_joint(&r, 0).effort) < 1e-9);
    rig_close(&r);
}

/* Steps of a nanosecond between longer ones do not change the result. */
static void slivers(const struct engine *e)
{
    struct rig a = rig_open(e->cartpole), b = rig_open(e->cartpole);
    int k;

    for (k = 1; k <= 1000; k++) {
        REQUIRE_OK(phys_mechanism_advance(a.m, k * MS));
        REQUIRE_OK(phys_mechanism_advance(b.m, k * MS - 1));
    }
    REQUIRE_OK(phys_mechanism_advance(b.m, 1000 * MS));
    CHECK(fabs(rig_joint(&a, 1).position - rig_joint(&b, 1).position) < 1e-5);
    rig_close(&a);
    rig_close(&b);
}

static bool same(const struct rig *a, const struct rig *b)
{
    ach_joint_state_t s = rig_joint(a, 0), t = rig_joint(b, 0);

    return memcmp(&s, &t, sizeof(s)) == 0;
}

/* A mechanism repeats exactly, alone and beside others. */
static void independent(const char *options)
{
    struct rig a = rig_open(options), b, c;

    go(&a, 100);
    b = rig_open(options);
    c = rig_open("engine \"pendulum\"");
    go(&b, 50);
    go(&c, 50);
    rig_close(&b);
    b = rig_open(options);
    go(&b, 100);
    CHECK(same(&a, &b));
    rig_close(&a);
    rig_close(&b);
    rig_close(&c);
}

/* Reading the state of a mechanism does not change it. */
static void looks(const char *options)
{
    struct rig a = rig_open(options), b = rig_open(options);
    ach_body_state_t s;
    int k;

    for (k = 1; k <= 100; k++) {
        command(&a, k);
        command(&b, k);
        phys_mechanism_body_get(b.m, 0, &s);
        phys_mechanism_energy(b.m);
        phys_mechanism_ray(b.m, 0, s.position, (double[]){1, 0, 0}, 1);
        rig_joint(&b, 0);
    }
    CHECK(same(&a, &b));
    rig_close(&a);
    rig_close(&b);
}

int main(int argc, char **argv)
{
    const struct engine *e = &engines[argc > 1 && strcmp(argv[1], "mujoco") == 0];

    rig_need(e->name);
    agree(e);
    conventions(e);
    accelerations(e);
    turns(e);
    drives(e);
    slivers(e);
    independent(e->pendulum);
    independent(e->cartpole);
    looks(e->cartpole);
    return check_result();
}
