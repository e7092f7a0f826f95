/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in pendulum and cart, compared with known solutions. */
#include "physics.h"

static const char *const integrators[] = {"rk4", "adaptive", "implicit"};

/* The period of a pendulum released at @angle, by the arithmetic-geometric mean. */
static double period(double angle, double length, double gravity)
{
    double a = 1, b = cos(angle / 2);

    while (fabs(a - b) > 1e-15) {
        double c = (a + b) / 2;

        b = sqrt(a * b);
        a = c;
    }
    return 2 * M_PI * sqrt(length / gravity) / a;
}

/* The time of the second passage through the bottom from the right, by one Newton step. */
static double measured_period(const char *options)
{
    struct rig r = rig_open(options);
    double last = 1, v = 0, at = NAN;
    int n = 0;
    int64_t t;

    for (t = MS; n < 2 && t < 60000 * MS; t += MS) {
        REQUIRE_OK(phys_mechanism_advance(r.m, t));
        v = rig_angle(&r);
        if (last > 0 && v <= 0 && ++n == 2)
            at = (double)t * 1e-9 - v / rig_joint(&r, 0).velocity;
        last = v;
    }
    rig_close(&r);
    return at;
}

static void periods(const char *integrator)
{
    static const double angles[] = {0.1, 1, 2, 3, 3.1};
    size_t i;

    for (i = 0; i < sizeof(angles) / sizeof(angles[0]); i++) {
        double length = 0.7 + 0.4 * 0.05 * 0.05 / 0.7, t = period(angles[i], length, 9.81);
        char options[200];

        /* The second time through the bottom is after 5/4 periods. */
        snprintf(options, sizeof(options),
                 "engine \"pendulum\" mass 2 length 0.7 angle %g integrator \"%s\"", angles[i],
                 integrator);
        t = t * 5 / 4 - measured_period(options);
        printf("%s: from %.1f rad: 5/4 periods within %.2g s\n", integrator, angles[i], fabs(t));
        CHECK(fabs(t) < 1e-6);
    }
}

/* The position does not wrap around after many turns. */
static void turns(void)
{
    struct rig r = rig_open("engine \"pendulum\" velocity 30 gravity 9.81");
    double last = 0;
    int64_t t;

    for (t = MS; t <= 2000 * MS; t += MS) {
        REQUIRE_OK(phys_mechanism_advance(r.m, t));
        CHECK(rig_angle(&r) > last && rig_angle(&r) < last + 0.04);
        last = rig_angle(&r);
    }
    CHECK(last > 50);
    rig_close(&r);
}

static void energy_of_cartpole(const char *integrator)
{
    char options[300];
    struct rig r;
    double e0;

    snprintf(options, sizeof(options),
             "engine \"cartpole\" cart_mass 2 mass 0.5 length 0.8 angle 2.5 cart_velocity 0.3 "
             "velocity 1 integrator \"%s\"",
             integrator);
    r = rig_open(options);
    e0 = phys_mechanism_energy(r.m);
    REQUIRE_OK(phys_mechanism_advance(r.m, 20000 * MS));
    printf("%s: energy of a cart after 20 s off by %.2g\n", integrator,
           fabs(phys_mechanism_energy(r.m) - e0));
    CHECK(fabs(phys_mechanism_energy(r.m) - e0) < 1e-6);
    rig_close(&r);
}

/* Without friction the centre of mass of cart and ball keeps its velocity. */
static void momentum(void)
{
    struct rig r = rig_open("engine \"cartpole\" cart_mass 2 mass 0.5 angle 2 cart_velocity 0.3");
    ach_body_state_t cart, bob;

    REQUIRE_OK(phys_mechanism_advance(r.m, 5000 * MS));
    phys_mechanism_body_get(r.m, phys_mechanism_body_find(r.m, "cart"), &cart);
    phys_mechanism_body_get(r.m, phys_mechanism_body_find(r.m, "bob"), &bob);
    CHECK(fabs((2 * cart.position[0] + 0.5 * bob.position[0]) - (0.5 * sin(2) + 2.5 * 0.3 * 5)) <
          1e-8);
    CHECK(fabs(2 * cart.velocity[0] + 0.5 * bob.velocity[0] - 2.5 * 0.3) < 1e-8);
    CHECK(fabs(2 * cart.acceleration[0] + 0.5 * bob.acceleration[0]) < 1e-8);
    CHECK(fabs(hypot(bob.position[0] - cart.position[0], bob.position[2]) - 1) < 1e-12);
    rig_close(&r);
}

/* The adaptive integrator with long steps agrees with rk4 with tiny steps. */
static void adaptive(void)
{
    struct rig a = rig_open("engine \"cartpole\" angle 3 integrator \"adaptive\" step 0.1");
    struct rig b = rig_open("engine \"cartpole\" angle 3 step 0.0001");
    double d;

    REQUIRE_OK(phys_mechanism_advance(a.m, 3000 * MS));
    REQUIRE_OK(phys_mechanism_advance(b.m, 3000 * MS));
    d = fabs(rig_joint(&a, 1).position - rig_joint(&b, 1).position);
    printf("adaptive with steps of 0.1 s against rk4 with 0.0001 s: %.2g rad after 3 s\n", d);
    CHECK(d < 1e-6);
    rig_close(&a);
    rig_close(&b);
}

/* With strong damping the velocity is that at which damping balances gravity; rk4 fails. */
static void oil(void)
{
    struct rig r = rig_open(
        "engine \"pendulum\" angle 1.5 velocity 3 damping 1e6 integrator \"implicit\" step 0.01");
    double wanted;

    REQUIRE_OK(phys_mechanism_advance(r.m, 5000 * MS));
    wanted = -9.81 * sin(rig_angle(&r)) / 1e6;
    CHECK(fabs(rig_joint(&r, 0).velocity / wanted - 1) < 1e-3);
    rig_close(&r);
    r = rig_open("engine \"pendulum\" angle 1.5 velocity 3 damping 1e6 step 0.01");
    CHECK(phys_mechanism_advance(r.m, 5000 * MS) != ACH_OK);
    rig_close(&r);
}

/* The effort is limited to the strength, and a servo reaches its target against gravity. */
static void drives(const char *integrator)
{
    char options[200];
    struct rig r;

    snprintf(options, sizeof(options), "engine \"pendulum\" strength 20 integrator \"%s\"",
             integrator);
    r = rig_open(options);
    CHECK_OK(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_EFFORT, 1000));
    CHECK(rig_joint(&r, 0).effort == 20);
    CHECK_OK(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_VELOCITY, 2));
    REQUIRE_OK(phys_mechanism_advance(r.m, 1000 * MS));
    CHECK(fabs(rig_joint(&r, 0).velocity - 2) < 1e-3);
    CHECK_OK(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_POSITION, -1));
    REQUIRE_OK(phys_mechanism_advance(r.m, 4000 * MS));
    CHECK(fabs(rig_angle(&r) + 1) < 1e-6);
    CHECK(fabs(rig_joint(&r, 0).effort + 9.81 * sin(1)) < 1e-3);
    CHECK_STATUS(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_EFFORT, NAN), ACH_EINVAL);
    rig_close(&r);
}

/* One servo beside a free joint, then two servos at once; the cart stops at the track's end. */
static void drives_of_cart(void)
{
    struct rig r = rig_open("engine \"cartpole\" strength 100 track 1");

    CHECK_OK(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_POSITION, 0.5));
    REQUIRE_OK(phys_mechanism_advance(r.m, 1000 * MS));
    CHECK(fabs(rig_angle(&r) - 0.5) < 1e-6);
    CHECK_OK(phys_mechanism_joint_drive(r.m, 1, ACH_DRIVE_POSITION, M_PI / 2));
    REQUIRE_OK(phys_mechanism_advance(r.m, 2000 * MS));
    CHECK(fabs(rig_angle(&r) - 0.5) < 1e-6);
    CHECK(fabs(rig_joint(&r, 1).position - M_PI / 2) < 1e-6);
    CHECK_OK(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_EFFORT, 10));
    REQUIRE_OK(phys_mechanism_advance(r.m, 5000 * MS));
    CHECK(rig_angle(&r) > 0.999 && rig_angle(&r) < 1.01);
    rig_close(&r);
    r = rig_open("engine \"cartpole\"");
    CHECK_STATUS(phys_mechanism_joint_drive(r.m, 1, ACH_DRIVE_EFFORT, 1), ACH_ENOTSUP);
    rig_close(&r);
}

/* Velocity and acceleration of a body agree with finite differences. */
static void derivatives(void)
{
    struct rig r = rig_open("engine \"cartpole\" angle 2 velocity 1 cart_velocity 0.5");
    ach_body_state_t s[3];
    int k, i;

    for (k = 0; k < 3; k++) {
        REQUIRE_OK(phys_mechanism_advance(r.m, 500 * MS + k * MS));
        phys_mechanism_body_get(r.m, 1, &s[k]);
    }
    for (i = 0; i < 3; i++) {
        CHECK(fabs((s[2].position[i] - s[0].position[i]) / 0.002 - s[1].velocity[i]) < 1e-4);
        CHECK(fabs((s[2].velocity[i] - s[0].velocity[i]) / 0.002 - s[1].acceleration[i]) < 1e-3);
    }
    rig_close(&r);
}

int main(void)
{
    size_t i;

    for (i = 0; i < 3; i++) {
        periods(integrators[i]);
        energy_of_cartpole(integrators[i]);
        drives(integrators[i]);
    }
    turns();
    momentum();
    adaptive();
    oil();
    drives_of_cart();
    derivatives();
    return check_result();
}
