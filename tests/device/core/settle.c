/* SPDX-License-Identifier: BSD-3-Clause */
/* settle.c - ach_robot_settle: a host advances a simulated clock, drivers have their own threads */
#include <ach/interface/opaque.h>
#include <math.h>

#include "probe.h"
#include "rig.h"

#define PERIOD 0.01
#define STEPS 200u

/* ticker publishes a count every PERIOD; tripler publishes three times the value it receives. */
struct ticker {
    ach_address_t own, need;
    uint8_t count;
};

/* The tripler does not finish a message while this is set. */
static _Atomic bool held;

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct ticker *t = calloc(1, sizeof(*t));

    (void)options;
    REQUIRE(t);
    *state = t;
    ach_driver_require(driver, ACH_OPAQUE_CODE, NULL, &t->need);
    return ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &t->own);
}

static void destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    free(state);
}

static void publish(ach_driver_t *driver, const struct ticker *t, uint8_t value)
{
    CHECK_OK(ach_driver_publish(driver, &t->own, ACH_OPAQUE_DATA_STATE,
                                &(ach_opaque_data_t){.data_count = 1, .data = &value}));
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    const ach_opaque_data_t *body = ach_message_body(m);

    REQUIRE(body && body->data_count == 1);
    while (held)
        check_sleep_ms(1);
    publish(driver, state, (uint8_t)(body->data[0] * 3));
    return ACH_OK;
}

static void tick(ach_driver_t *driver, void *state)
{
    struct ticker *t = state;
    unsigned i;

    for (i = 1; ach_driver_wait_until(driver, i * PERIOD); i++)
        publish(driver, t, t->count++);
}

static const ach_driver_class_t ticker = {
    .version = ACH_DRIVER_VERSION,
    .name = "ticker",
    .create = create,
    .destroy = destroy,
    .main = tick,
};

static const ach_driver_class_t tripler = {
    .version = ACH_DRIVER_VERSION,
    .name = "tripler",
    .create = create,
    .destroy = destroy,
    .process = process,
};

static const ach_driver_class_t tripler_inline = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_INLINE,
    .name = "tripler_inline",
    .create = create,
    .destroy = destroy,
    .process = process,
};

static struct rig *start(const char *config)
{
    struct rig *rig = rig_create(true);

    probe_reset();
    rig_add(rig, &probe_class);
    rig_add(rig, &ticker);
    rig_add(rig, &tripler);
    rig_add(rig, &tripler_inline);
    REQUIRE_OK(rig_load(rig, config));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    return rig;
}

/* Two drivers in a chain: once settled, exactly one message is queued, stamped with this time. */
static void run(const char *config)
{
    struct rig *rig = start(config);
    ach_robot_t *robot = rig_robot(rig);
    struct ear *ear = ear_open(rig, "opaque:2");
    unsigned i;

    for (i = 0; i < STEPS; i++) {
        const ach_opaque_data_t *body;
        ach_message_t *m;
        double next;

        REQUIRE_OK(ach_robot_settle(robot, RIG_PATIENCE));
        CHECK(ach_queue_length(ear_queue(ear)) == (i > 0));
        next = ach_robot_next(robot);
        CHECK(next == (i + 1) * PERIOD);
        m = ach_queue_pop(ear_queue(ear));
        if (m) {
            body = ach_message_body(m);
            CHECK(body && body->data[0] == (uint8_t)((i - 1) * 3));
            CHECK(ach_message_header(m)->timestamp == i * PERIOD);
        }
        ach_message_unref(m);
        CHECK_OK(ach_robot_set_time(robot, next));
    }
    ear_close(ear);
    rig_end(rig);
}

static void test_same(void)
{
    unsigned i;

    for (i = 0; i < 5; i++) {
        run("driver (name \"ticker\" provides [\"opaque:0\"])\n"
            "driver (name \"tripler\" provides [\"opaque:2\"] requires [\"opaque:0\"])");
        run("driver (name \"tripler_inline\" provides [\"opaque:2\"] requires [\"opaque:0\"])\n"
            "driver (name \"ticker\" provides [\"opaque:0\"])");
    }
}

static void order(struct ear *ear, uint8_t what)
{
    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA,
                         &(ach_opaque_data_t){.data_count = 1, .data = &what}));
}

/* ach_robot_settle waits for all queued messages, also for the last. */
static void test_messages(void)
{
    struct rig *rig = start("driver (name \"probe\" provides [\"opaque:0\"] tick 1)");
    struct ear *ear = ear_open(rig, "opaque:0");
    unsigned i, j, n = (unsigned)check_scale(100);

    for (i = 1; i <= n; i++) {
        for (j = 0; j < 10; j++)
            order(ear, PROBE_ECHO);
        REQUIRE_OK(ach_robot_settle(rig_robot(rig), RIG_PATIENCE));
        CHECK(probe_counts[0].messages == 10 * i);
        CHECK(ach_queue_length(ear_queue(ear)) == 10);
        for (j = 0; j < 10; j++)
            ach_message_unref(ach_queue_pop(ear_queue(ear)));
    }
    ear_close(ear);
    rig_end(rig);
}

static void test_late(void)
{
    struct rig *rig = start("driver (name \"tripler\" provides [\"opaque:3\"])");
    struct ear *ear = ear_open(rig, "opaque:3");

    REQUIRE_OK(ach_robot_settle(rig_robot(rig), RIG_PATIENCE));
    held = true;
    order(ear, PROBE_ECHO);
    CHECK_STATUS(ach_robot_settle(rig_robot(rig), 0.01), ACH_TIMEOUT);
    if (!CHECK(strstr(ach_errstr(), "driver tripler (opaque:3) did not finish")))
        fprintf(stderr, "%s\n", ach_errstr());
    held = false;
    CHECK_OK(ach_robot_settle(rig_robot(rig), RIG_PATIENCE));
    CHECK(ach_queue_length(ear_queue(ear)) == 1);
    ear_close(ear);
    rig_end(rig);
}

/* ach_robot_settle waits for setup and shutdown, too. */
static void test_phases(void)
{
    struct rig *rig = start("driver (name \"probe\" provides [\"opaque:0\"] tick 1 setup_ms 20)\n"
                            "driver (name \"tripler_inline\" provides [\"opaque:1\"]\n"
                            "        requires [\"opaque:0\"])");
    ach_robot_t *robot = rig_robot(rig);
    unsigned i;

    for (i = 1; i <= 5; i++) {
        struct ear *ear = ear_begin(rig, "opaque:1");

        CHECK_OK(ach_robot_settle(robot, RIG_PATIENCE));
        CHECK(ear_status(ear) == ACH_OK && probe_counts[0].setups == i);
        CHECK(ach_robot_next(robot) == 1);
        CHECK_OK(ach_robot_unsubscribe(
            robot, &(ach_address_t){.interf = ACH_OPAQUE_CODE, .index = 1}, ear_queue(ear)));
        ear_forget(ear);
        CHECK_OK(ach_robot_settle(robot, RIG_PATIENCE));
        CHECK(probe_counts[0].shutdowns == i);
        CHECK(isinf(ach_robot_next(robot)));
    }
    rig_end(rig);
}

static void test_nothing(void)
{
    struct rig *rig = start("driver (name \"tripler_inline\" provides [\"opaque:1\"] alwayson 1)");

    CHECK_OK(ach_robot_settle(rig_robot(rig), 0));
    CHECK(isinf(ach_robot_next(rig_robot(rig))));
    rig_end(rig);
    rig = rig_create(false);
    CHECK_STATUS(ach_robot_settle(rig_robot(rig), 0), ACH_ENOTSUP);
    rig_end(rig);
}

int main(void)
{
    test_same();
    test_messages();
    test_late();
    test_phases();
    test_nothing();
    return check_result();
}
