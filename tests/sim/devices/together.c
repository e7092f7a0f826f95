/* SPDX-License-Identifier: BSD-3-Clause */
/* together.c - what a robot senses is the same, bit for bit, alone and beside others */
#include <ach/interface/actarray.h>

#include "bench.h"

#define A                                                                                          \
    "physics (name \"a\" engine \"pendulum\" step 0.001 angle 60 strength 5)\n"                    \
    "driver (name \"sim_joints\" provides [\"actarray:0\"] physics \"a\" rate 333 noise 0.01 "     \
    "latency 0.0021)\n"                                                                            \
    "driver (name \"sim_imu\" provides [\"imu:0\"] physics \"a\" rate 70 noise [0.1 0.2 0.3])\n"
#define B                                                                                          \
    "physics (name \"b\" engine \"cartpole\" step 0.0007 angle 120 strength 5)\n"                  \
    "driver (name \"sim_joints\" provides [\"actarray:1\"] physics \"b\" rate 250 "                \
    "noise [0.01 0.1])\n"                                                                          \
    "driver (name \"sim_pose\" provides [\"position3d:1\"] physics \"b\" body \"bob\" rate 100)\n"

#define DEVICES 4
#define HEARD (1u << 20)

static const char *const devices[DEVICES] = {"actarray:0", "imu:0", "actarray:1", "position3d:1"};

/* All messages of a device: headers and bodies. */
struct heard {
    size_t size;
    unsigned char bytes[HEARD];
};

static void listen(struct ear *e, struct heard *h)
{
    ach_message_t *m;

    while ((m = ear_next(e))) {
        size_t n;
        const void *bytes = ach_message_bytes(m, &n);

        REQUIRE(h->size + ACH_FRAME_HEADER + n <= HEARD);
        ach_frame_write(ach_message_header(m), (uint32_t)n, h->bytes + h->size);
        memcpy(h->bytes + h->size + ACH_FRAME_HEADER, bytes, n);
        h->size += ACH_FRAME_HEADER + n;
        ach_message_unref(m);
    }
}

/* A controller: each robot is driven at times of its own. */
static void push(struct ear *e, int64_t k)
{
    ach_actarray_current_cmd_t c = {.joint = 0, .current = (float)(k % 7 - 3)};

    CHECK_OK(ear_command(e, ACH_ACTARRAY_CMD_CURRENT, &c));
}

/* Record the devices from first to last, subscribed in ascending order or backwards. */
static void play(const char *config, unsigned first, unsigned last, bool backwards,
                 struct heard *heard)
{
    struct bench *b = bench_start(config, 7);
    struct ear *ears[DEVICES] = {NULL};
    unsigned i, d;
    int64_t k;

    for (i = first; i <= last; i++) {
        d = backwards ? last + first - i : i;
        heard[d].size = 0;
        ears[d] = ear_open(b, devices[d]);
    }
    for (k = 0; k < 400; k++) {
        bench_run(b, k * 5 * MS + 1234567);
        if (ears[0])
            push(ears[0], k);
        bench_run(b, k * 5 * MS + 2345678);
        if (ears[2])
            push(ears[2], k + 2);
    }
    for (d = first; d <= last; d++) {
        listen(ears[d], &heard[d]);
        ear_close(ears[d]);
    }
    bench_end(b);
}

static bool same(const struct heard *a, const struct heard *b)
{
    return a->size > 1000 && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

int main(void)
{
    static struct heard alone[DEVICES], both[DEVICES];
    unsigned d;

    play(A, 0, 1, false, alone);
    play(B, 2, 3, false, alone);
    play(A B, 0, 3, false, both);
    for (d = 0; d < DEVICES; d++)
        CHECK(same(&alone[d], &both[d]));
    play(B A, 0, 3, true, both);
    for (d = 0; d < DEVICES; d++)
        CHECK(same(&alone[d], &both[d]));
    return check_result();
}
