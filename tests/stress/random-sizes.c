/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random-sizes.c - many writers, many readers, messages of all sizes (G1, G2, G3)
 *
 *     random-sizes [threads] [MESSAGES]
 *
 * Goes through channels of many shapes, a fraction of a second each. Every
 * byte of every message is checked, the order of each writer's messages, and
 * in the end that each reader missed exactly as many messages as were reported
 * to it. With MESSAGES, continues until that many messages were put;
 * ACH_TEST_SCALE=1000 sets ten million.
 */
#include "run.h"

#define WRITERS 3u
#define READERS 5u
#define SLICE_MS 450
#define JOIN_LIMIT_MS ((long)check_time(60000))

static const struct shape shapes[] = {
    {1, 1},     {1, 64},   {1, 80},   {1, 4096},  {2, 80},   {2, 81},     {3, 1},
    {7, 13},    {16, 512}, {10, 99},  {64, 1},    {100, 33}, {5, 4097},   {8, 8192},
    {1, 50000}, {33, 777}, {512, 16}, {4, 16384}, {20, 64},  {1000, 100},
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct totals {
    uint64_t put, checked, missed, spoiled, runs;
};

static void channel_make(struct run *r)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    if (r->heap)
        ach_create_attr_set_map(&attr, ACH_MAP_ANON);
    ach_create_attr_set_readonly_wake(&attr, r->readonly_wake);
    ach_create_attr_set_single_writer(&attr, r->single);
    ach_create_attr_set_timestamps(&attr, r->timestamps);
    REQUIRE_OK(ach_create(RUN_NAME, r->shape.frame_cnt, r->shape.frame_size, &attr));
    if (r->heap)
        ach_create_attr_get_shm(&attr, &r->shm);
}

/* Run the writers for ms milliseconds; then the readers read what is left. */
static void run_for(struct run *r, bool threads, long ms, unsigned first_kind)
{
    struct crew writers, readers;
    unsigned i;

    crew_init(&writers, threads);
    crew_init(&readers, threads);
    for (i = 0; i < READERS; i++)
        crew_start(&readers, run_reader, r, first_kind + i);
    for (i = 0; i < r->writers; i++)
        crew_start(&writers, run_writer, r, i);
    check_sleep_ms(ms);
    __atomic_store_n(&r->shared->stop, 1, __ATOMIC_RELEASE);
    CHECK(crew_join(&writers, JOIN_LIMIT_MS));
    __atomic_store_n(&r->shared->over, 1, __ATOMIC_RELEASE);
    CHECK(crew_join(&readers, JOIN_LIMIT_MS));
    crew_finish(&writers);
    crew_finish(&readers);
}

static void add_up(struct totals *t, const struct run *r)
{
    unsigned i;

    for (i = 0; i < r->writers; i++)
        t->put += r->shared->put[i];
    t->checked += r->shared->checked;
    t->missed += r->shared->missed;
    t->spoiled += r->shared->spoiled;
    t->runs++;
}

/* The n-th run: n selects the shape, the sizes and the attributes. */
static void one_run(uint64_t n, bool threads, long ms, struct totals *t)
{
    struct run r = {.shape = shapes[n % SHAPES], .seed = n * 1000 + (uint64_t)getpid()};
    ach_channel_t keep;

    r.mix = (enum mix)((n + n / SHAPES) % MIXES);
    r.heap = threads && n % 4 != 3;
    r.single = n % 5 == 4;
    r.readonly_wake = n % 3 == 1;
    r.timestamps = n % 2 == 1;
    r.writers = r.single ? 1 : WRITERS;
    r.shared = check_shared(sizeof(*r.shared));
    channel_make(&r);
    run_open(&r, &keep, true, false);
    run_for(&r, threads, ms, (unsigned)(n * READERS));
    CHECK_OK(ach_close(&keep));
    if (r.heap)
        free(r.shm);
    else
        CHECK_OK(ach_unlink(RUN_NAME));
    add_up(t, &r);
    munmap(r.shared, sizeof(*r.shared));
}

int main(int argc, char **argv)
{
    bool threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    const char *number = argc > 1 + threads ? argv[1 + threads] : NULL;
    uint64_t wanted = number ? strtoull(number, NULL, 10) : long_run(), n;
    long ms = (long)check_scale(SLICE_MS);
    struct totals t = {0};

    for (n = 0; (n < SHAPES || t.put < wanted) && !check_failures; n++)
        one_run(n, threads, ms, &t);
    printf(
        "%llu runs, %llu messages put, %llu got and checked, %llu missed, %llu views overtaken\n",
        (unsigned long long)t.runs, (unsigned long long)t.put, (unsigned long long)t.checked,
        (unsigned long long)t.missed, (unsigned long long)t.spoiled);
    return check_result();
}
