/* SPDX-License-Identifier: BSD-3-Clause */
/* sizes.c - messages and channels of all sizes */
#include "conformance.h"

/* When long messages evict short ones, the messages left are intact. */
static void short_and_long(void)
{
    static const size_t sizes[] = {40, 60, 40, 70};
    ach_channel_t chan;
    unsigned char buf[100];
    uint64_t number = 0, before = 0;
    size_t i, size = 0;

    make(10, 10);
    open_it(&chan);
    for (i = 0; i < 4; i++)
        CHECK_OK(put_number(&chan, i + 1, sizes[i]));
    for (;;) {
        enum ach_status r = ach_get(&chan, buf, sizeof(buf), &size, NULL, 0);

        if (r == ACH_EAGAIN)
            break;
        REQUIRE(r == ACH_OK || r == ACH_MISSED_FRAME);
        REQUIRE(message_whole(buf, size, &number));
        CHECK(number > before && number <= 4 && size == sizes[number - 1]);
        CHECK((r == ACH_MISSED_FRAME) == (number != before + 1));
        before = number;
    }
    CHECK(before == 4);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* Read some messages and compare with what was put. Returns how many were read. */
static uint64_t read_some(ach_channel_t *chan, uint64_t n, const size_t *sizes, uint64_t *seen)
{
    static unsigned char buf[65536];
    uint64_t i, number = 0;
    size_t size = 0;

    for (i = 0; i < n; i++) {
        enum ach_status r = ach_get(chan, buf, sizeof(buf), &size, NULL, 0);

        if (r == ACH_EAGAIN)
            break;
        REQUIRE(r == ACH_OK || r == ACH_MISSED_FRAME);
        REQUIRE(message_whole(buf, size, &number));
        REQUIRE(size == sizes[number % 64]);
        REQUIRE(number > *seen && (r == ACH_OK) == (number == *seen + 1));
        *seen = number;
    }
    return i;
}

static void random_sizes(size_t frame_cnt, size_t frame_size, uint64_t n)
{
    uint64_t state = 42, put = 0, seen = 0, read = 0, spread = frame_cnt * frame_size - 15;
    size_t sizes[64];
    ach_channel_t chan;

    make(frame_cnt, frame_size);
    open_it(&chan);
    while (read < n) {
        uint64_t burst = 1 + check_random(&state) % 12;

        while (burst--) {
            size_t len = 16 + (size_t)(check_random(&state) % spread);

            sizes[++put % 64] = len;
            REQUIRE_OK(put_number(&chan, put, len));
        }
        read += read_some(&chan, check_random(&state) % 14, sizes, &seen);
        REQUIRE(info_of(&chan).newest == put);
    }
    while (read_some(&chan, 64, sizes, &seen))
        ;
    CHECK(seen == put);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void random_small(void)
{
    random_sizes(10, 16, check_scale(30000));
}

/* Here the messages are also evicted for lack of bytes, not only by count. */
static void random_large(void)
{
    random_sizes(16, 4096, check_scale(1500));
}

/* The channel can be created, opened and filled, and refuses a message one byte too long. */
static void try_geometry(size_t frame_cnt, size_t frame_size)
{
    size_t capacity = frame_cnt * frame_size, size = 0, i;
    unsigned char *in = malloc(capacity + 1), *out = malloc(capacity + 1);
    ach_channel_t chan;

    REQUIRE(in && out);
    make(frame_cnt, frame_size);
    open_it(&chan);
    CHECK(info_of(&chan).capacity == capacity);
    for (i = 0; i < 5; i++) {
        message_fill(in, capacity + 1, i);
        CHECK_OK(ach_put(&chan, in, capacity));
        CHECK_STATUS(ach_put(&chan, in, capacity + 1), ACH_OVERFLOW);
        CHECK_OK(ach_put(&chan, in + 1, 1));
        CHECK_STATUS(ach_get(&chan, NULL, 0, &size, NULL, 0), ACH_OVERFLOW);
        if (frame_cnt > 1) {
            CHECK_OK(ach_get(&chan, out, capacity, &size, NULL, 0));
            CHECK(size == capacity && memcmp(in, out, capacity) == 0);
        }
        CHECK(ach_get(&chan, out, capacity, &size, NULL, 0) ==
              (frame_cnt > 1 ? ACH_OK : ACH_MISSED_FRAME));
        CHECK(size == 1 && out[0] == in[1]);
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
    free(in);
    free(out);
}

static void geometries(void)
{
    static const struct {
        size_t frame_cnt, frame_size;
    } all[] = {{8, 448},  {1, 1},     {1, 2},     {2, 1},   {1, 4096}, {1, 4097}, {3, 7},
               {7, 3},    {16, 512},  {10, 3000}, {31, 31}, {32, 64},  {33, 65},  {100, 1},
               {1000, 8}, {4095, 16}, {2, 65536}, {5, 999}, {1, 80},   {1, 81},   {64, 4096}};
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        try_geometry(all[i].frame_cnt, all[i].frame_size);
}

static void many_geometries(void)
{
    uint64_t state = 7, i, n = check_scale(100);

    for (i = 0; i < n; i++)
        try_geometry(1 + (size_t)(check_random(&state) % 40),
                     1 + (size_t)(check_random(&state) % 1000));
}

static void every_length(void)
{
    ach_channel_t chan;
    uint64_t len;

    make(6, 100);
    open_it(&chan);
    for (len = 16; len <= 600; len++) {
        CHECK_OK(put_number(&chan, len, (size_t)len));
        CHECK_GET(&chan, 0, ACH_OK, len);
    }
    for (len = 600; len >= 16; len--) {
        CHECK_OK(put_number(&chan, len, (size_t)len));
        CHECK_GET(&chan, ACH_O_LAST, ACH_OK, len);
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
}

/* The newest message can be got whatever the sizes of the messages before it. */
static void newest_always(void)
{
    uint64_t state = 5, i, n = check_scale(3000);
    ach_channel_t chan;

    make(3, 100);
    open_it(&chan);
    for (i = 1; i <= n; i++) {
        REQUIRE_OK(put_number(&chan, i, 16 + (size_t)(check_random(&state) % 285)));
        CHECK_GET(&chan, ACH_O_LAST, ACH_OK, i);
        CHECK_GET(&chan, ACH_O_COPY, ACH_OK, i);
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static const struct test tests[] = {
    {"sizes-short-and-long", short_and_long, ALL, NULL},
    {"sizes-random-small", random_small, ALL, NULL},
    {"sizes-random-large", random_large, ALL, NULL},
    {"sizes-geometries", geometries, ALL, NULL},
    {"sizes-many-geometries", many_geometries, ALL, NULL},
    {"sizes-every-length", every_length, ALL, NULL},
    {"sizes-newest-always", newest_always, ALL, NULL},
};
THEME(sizes_theme, tests);
