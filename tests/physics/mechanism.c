/* SPDX-License-Identifier: BSD-3-Clause */
/* The time grid of a mechanism, its independence of others, and options that are refused. */
#include "physics.h"

static const char *const engines[] = {
    "engine \"pendulum\" angle 2",
    "engine \"pendulum\" angle 2 integrator \"adaptive\" step 0.01",
    "engine \"cartpole\" angle 2 integrator \"implicit\"",
};

#define ENGINES (sizeof(engines) / sizeof(engines[0]))

/* Two mechanisms are in the same state, to the last bit. */
static bool same(const struct rig *a, const struct rig *b)
{
    size_t i, n = phys_mechanism_joints(a->m);

    for (i = 0; i < n; i++) {
        ach_joint_state_t s = rig_joint(a, i), t = rig_joint(b, i);

        if (memcmp(&s, &t, sizeof(s)) != 0)
            return false;
    }
    return phys_mechanism_now(a->m) == phys_mechanism_now(b->m);
}

/* The result does not depend on the grid points at which the run is interrupted. */
static void cuts(const char *options)
{
    struct rig a = rig_open(options), b = rig_open(options);
    int64_t step = phys_mechanism_step(a.m), t = 0;
    uint64_t random = 7;

    while (t < 3000 * MS) {
        t += step * (int64_t)(1 + check_random(&random) % 40);
        REQUIRE_OK(phys_mechanism_advance(b.m, t));
        CHECK(phys_mechanism_now(b.m) == t);
        REQUIRE_OK(phys_mechanism_advance(b.m, t));
    }
    REQUIRE_OK(phys_mechanism_advance(a.m, t));
    CHECK(same(&a, &b));
    CHECK_STATUS(phys_mechanism_advance(a.m, t - 1), ACH_EINVAL);
    rig_close(&a);
    rig_close(&b);
}

/* After a time between two grid points, the next step ends at the next grid point. */
static void back_to_grid(const char *options)
{
    struct rig a = rig_open(options), b = rig_open(options);
    int64_t step = phys_mechanism_step(a.m), asked = 5 * step + step / 3;
    int k;

    REQUIRE_OK(phys_mechanism_advance(a.m, asked));
    REQUIRE_OK(phys_mechanism_advance(a.m, 20 * step));
    for (k = 1; k <= 20; k++) {
        REQUIRE_OK(phys_mechanism_advance(b.m, k * step));
        if (k == 5)
            REQUIRE_OK(phys_mechanism_advance(b.m, asked));
    }
    CHECK(same(&a, &b));
    rig_close(&a);
    rig_close(&b);
}

/* A command between two grid points acts at its own time; constant effort gives a known angle. */
static void between(void)
{
    struct rig r = rig_open("engine \"pendulum\" gravity 0 mass 1 length 1 radius 0.001 step 0.01");
    double inertia = 1 + 0.4e-6, t1 = 0.0123456789, t2 = 0.05, x;

    REQUIRE_OK(phys_mechanism_advance(r.m, 12345679));
    CHECK(phys_mechanism_now(r.m) == 12345679);
    CHECK_OK(phys_mechanism_joint_drive(r.m, 0, ACH_DRIVE_EFFORT, 3));
    REQUIRE_OK(phys_mechanism_advance(r.m, 50 * MS));
    t1 = 0.012345679;
    x = 0.5 * 3 / inertia * (t2 - t1) * (t2 - t1);
    CHECK(fabs(rig_angle(&r) - x) < 1e-15);
    rig_close(&r);
}

/* Interruptions at any times change the result by no more than the error of integration. */
static void anywhere(const char *options)
{
    struct rig a = rig_open(options), b = rig_open(options);
    uint64_t random = 11;
    int64_t t = 0;

    while (t < 1000 * MS) {
        t += (int64_t)(check_random(&random) % 3000000);
        REQUIRE_OK(phys_mechanism_advance(b.m, t));
        CHECK(phys_mechanism_now(b.m) == t);
    }
    REQUIRE_OK(phys_mechanism_advance(a.m, t));
    CHECK(fabs(rig_angle(&a) - rig_angle(&b)) < 1e-8);
    rig_close(&a);
    rig_close(&b);
}

static void drive(struct rig *r, int k)
{
    CHECK_OK(phys_mechanism_joint_drive(r->m, 0, ACH_DRIVE_EFFORT, k % 7 - 3));
    REQUIRE_OK(phys_mechanism_advance(r->m, k * 1234567));
}

/* A mechanism runs the same alone, and beside another that is driven in turn. */
static void independent(const char *options, const char *other)
{
    struct rig a = rig_open(options), b = rig_open(options), c = rig_open(other);
    int k;

    for (k = 1; k < 500; k++)
        drive(&a, k);
    for (k = 1; k < 500; k++) {
        drive(&b, k);
        drive(&c, k);
    }
    CHECK(same(&a, &b));
    rig_close(&a);
    rig_close(&b);
    rig_close(&c);
}

/* The option slow makes a run take longer, and does not change its result. */
static void slow(const char *how, double least)
{
    char options[200];
    struct rig a = rig_open(engines[0]), b;
    uint64_t start;

    snprintf(options, sizeof(options), "%s slow 10 %s", engines[0], how);
    b = rig_open(options);
    REQUIRE_OK(phys_mechanism_advance(a.m, 50 * MS));
    start = check_now_ns();
    REQUIRE_OK(phys_mechanism_advance(b.m, 50 * MS));
    printf("slow 10 %s: 0.05 s took %.3f s\n", how, (double)(check_now_ns() - start) * 1e-9);
    CHECK((double)(check_now_ns() - start) * 1e-9 >= least);
    CHECK(same(&a, &b));
    rig_close(&a);
    rig_close(&b);
}

/* The options are refused, and @said is part of the config errors or of ach_errstr. */
static void refused(const char *options, ach_status_t status, const char *said)
{
    struct rig r;

    CHECK_STATUS(rig_try(&r, options), status);
    CHECK(!r.m);
    if (!strstr(ach_config_errors(r.config), said) && !strstr(ach_errstr(), said)) {
        fprintf(stderr, "%s\n%s%s\ndo not say %s\n", options, ach_config_errors(r.config),
                ach_errstr(), said);
        CHECK(false);
    }
    rig_close(&r);
}

static void wrong_options(void)
{
    refused("", ACH_EINVAL, "world.cfg:2");
    refused("engine \"pendulum\"\n mass -1", ACH_EINVAL, "world.cfg:5:7: mass: found");
    refused("engine \"pendulum\"\n\n length 0", ACH_EINVAL, "world.cfg:6:9: length: found");
    refused("engine \"pendulum\" step 0", ACH_EINVAL, "a time from 1e-9 to 1 s");
    refused("engine \"pendulum\" step \"fast\"", ACH_EINVAL, "world.cfg:4");
    refused("engine \"pendulum\" slow -1", ACH_EINVAL, "slow: found the number -1");
    refused("engine \"pendulum\" integrator \"euler\"", ACH_EINVAL, "adaptive");
    refused("engine \"pendulum\" integrator \"adaptive\" tolerance 0", ACH_EINVAL, "tolerance");
    refused("engine \"pendulum\" radius 0", ACH_EINVAL, "radius");
    refused("engine \"cartpole\" track 1 cart_position 2", ACH_EINVAL, "on the track");
    refused("engine \"nonesuch\"", ACH_ENOENT, "world.cfg:2: there is no plug-in physics-nonesuch");
}

static void plugins(void)
{
    struct rig r = rig_open("engine \"still\" plugin \"still_good\"");

    CHECK(phys_mechanism_joints(r.m) == 0);
    CHECK(isnan(phys_mechanism_energy(r.m)));
    CHECK(phys_mechanism_ray(r.m, 0, (double[]){0, 0, 0}, (double[]){1, 0, 0}, 7) == 7);
    CHECK_STATUS(phys_mechanism_body_put(r.m, 0, (double[]){0, 0, 0}, (double[]){1, 0, 0, 0}),
                 ACH_ENOTSUP);
    CHECK_STATUS(phys_mechanism_advance(r.m, 10 * MS), ACH_OK);
    CHECK_STATUS(phys_mechanism_advance(r.m, 200 * MS), ACH_CORRUPT);
    CHECK(strstr(ach_errstr(), "arm at 0.100000000 s: it broke"));
    rig_close(&r);
    refused("engine \"other\" plugin \"still_good\"", ACH_ENOENT, "has no engine other");
    refused("engine \"still\" plugin \"still_old\"", ACH_BAD_HEADER,
            "is built for version 99 of physics.h; this is version 1");
    refused("engine \"still\" plugin \"still_class\"", ACH_BAD_HEADER,
            "engine still is built for version 98");
    refused("engine \"still\" plugin \"still_not\"", ACH_BAD_HEADER, "no plug-in");
    refused("engine \"still\" plugin \"./nowhere.so\"", ACH_ENOENT, "nowhere.so");
}

int main(void)
{
    size_t i;

    for (i = 0; i < ENGINES; i++) {
        cuts(engines[i]);
        back_to_grid(engines[i]);
        anywhere(engines[i]);
        independent(engines[i], engines[(i + 1) % ENGINES]);
    }
    between();
    slow("", 0.49);
    slow("burn true", 0.49);
    slow("uneven true", 0.3);
    wrong_options();
    plugins();
    return check_result();
}
