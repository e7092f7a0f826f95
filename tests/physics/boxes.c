/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes.c - many boxes on a plane: they stay inside, runs repeat exactly, step times are printed */
#include <pthread.h>

#include "physics.h"

#define BOXES "engine \"ode\" model \"boxes\" step 0.01 seed 7"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void inside(const struct rig *r, double half)
{
    size_t i, n = phys_mechanism_bodies(r->m);
    ach_body_state_t s;

    for (i = 0; i < n; i++) {
        phys_mechanism_body_get(r->m, i, &s);
        CHECK(fabs(s.position[0]) < half && fabs(s.position[1]) < half);
        CHECK(s.position[2] > 0 && s.position[2] < 2);
    }
}

static void thousand(void)
{
    struct rig r = rig_open(BOXES);
    size_t i, n = (size_t)check_scale(400);
    double *took = calloc(n, sizeof(*took));

    REQUIRE(took && phys_mechanism_bodies(r.m) == 1000);
    for (i = 0; i < n; i++) {
        uint64_t start = check_now_ns();

        REQUIRE_OK(phys_mechanism_advance(r.m, (int64_t)(i + 1) * 10 * MS));
        took[i] = (double)(check_now_ns() - start) * 1e-6;
    }
    inside(&r, 8);
    qsort(took, n, sizeof(*took), by_size);
    printf("1000 boxes, %zu steps of 10 ms: p1 %.2f p50 %.2f p99 %.2f ms, p99/p1 %.2f\n", n,
           took[n / 100], took[n / 2], took[n * 99 / 100], took[n * 99 / 100] / took[n / 100]);
    free(took);
    rig_close(&r);
}

static void run(struct rig *r, int from, int to)
{
    int k;

    for (k = from; k < to; k++)
        REQUIRE_OK(phys_mechanism_advance(r->m, (k + 1) * INT64_C(7300000)));
}

static bool same(const struct rig *a, const struct rig *b)
{
    size_t i, n = phys_mechanism_bodies(a->m);
    ach_body_state_t s, t;

    for (i = 0; i < n; i++) {
        phys_mechanism_body_get(a->m, i, &s);
        phys_mechanism_body_get(b->m, i, &t);
        if (memcmp(&s, &t, sizeof(s)) != 0)
            return false;
    }
    return true;
}

/* Runs repeat to the last bit, also with another world in between, but not with another seed. */
static void repeats(void)
{
    struct rig a = rig_open(BOXES " count 100"), b = rig_open(BOXES " count 100"),
               c = rig_open("engine \"ode\" model \"boxes\" count 100 seed 8");
    int k;

    run(&a, 0, 100);
    for (k = 0; k < 100; k += 10) {
        run(&c, k, k + 10);
        run(&b, k, k + 10);
    }
    CHECK(same(&a, &b));
    CHECK(!same(&a, &c));
    rig_close(&a);
    rig_close(&b);
    rig_close(&c);
}

static void *beside(void *arg)
{
    run(arg, 0, 100);
    return NULL;
}

/* Runs at the same time, each in a thread, equal a run alone. */
static void threads(const char *options)
{
    struct rig a = rig_open(options), b = rig_open(options), c = rig_open(options);
    pthread_t t, u;

    run(&a, 0, 100);
    REQUIRE(pthread_create(&t, NULL, beside, &b) == 0);
    REQUIRE(pthread_create(&u, NULL, beside, &c) == 0);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    CHECK(same(&a, &b));
    CHECK(same(&a, &c));
    rig_close(&a);
    rig_close(&b);
    rig_close(&c);
}

static void put(void)
{
    struct rig r = rig_open("engine \"ode\" model \"boxes\" count 1");
    const double at[3] = {0, 0, 5}, turn[4] = {1, 0, 0, 0};
    ach_body_state_t s;

    CHECK_OK(phys_mechanism_body_put(r.m, phys_mechanism_body_find(r.m, "box0"), at, turn));
    REQUIRE_OK(phys_mechanism_advance(r.m, 500 * MS));
    phys_mechanism_body_get(r.m, 0, &s);
    CHECK(fabs(s.position[2] - (5 - 0.5 * 9.81 * 0.25)) < 0.01);
    CHECK(fabs(s.acceleration[2] + 9.81) < 1e-9);
    rig_close(&r);
}

int main(void)
{
    rig_need("ode");
    thousand();
    repeats();
    threads(BOXES " count 50");
    threads(BOXES " count 50 solver \"exact\" square 1");
    put();
    return check_result();
}
