/* SPDX-License-Identifier: BSD-3-Clause */
/* life.c - drivers are set up, run, fail, and are shut down when they should be */
#include <ach/interface/common.h>
#include <ach/interface/opaque.h>

#include "probe.h"
#include "rig.h"

static ach_opaque_data_t order(uint8_t *what)
{
    return (ach_opaque_data_t){.data_count = 1, .data = what};
}

static void test_first_and_last(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\" \"opaque:1\"])");
    struct ear *a, *b, *c;
    ach_device_info_t info;

    check_sleep_ms(20);
    CHECK(probe_counts[0].setups == 0);
    a = ear_open(rig, "opaque:0");
    b = ear_open(rig, "opaque:0");
    c = ear_open(rig, "opaque:1");
    CHECK(probe_counts[0].setups == 1);
    CHECK_OK(ach_robot_find(rig_robot(rig), &(ach_address_t){0, 6665, 51, 0}, &info));
    CHECK(info.subscriptions == 2 && strcmp(info.driver, "probe") == 0 && !info.remote);
    ear_close(a);
    ear_close(b);
    check_sleep_ms(20);
    CHECK(probe_counts[0].shutdowns == 0);
    ear_close(c);
    EVENTUALLY(probe_counts[0].shutdowns == 1);
    a = ear_open(rig, "opaque:1");
    CHECK(probe_counts[0].setups == 2);
    ear_close(a);
    rig_end(rig);
    CHECK(probe_counts[0].shutdowns == 2);
}

static void test_subscribed_twice(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    ach_address_t address = rig_address("opaque:0");
    struct ear *a = ear_open(rig, "opaque:0"), *b = ear_open(rig, "opaque:0");
    uint8_t echo = PROBE_ECHO;
    ach_opaque_data_t body = order(&echo);
    ach_message_t *m;

    CHECK_OK(ear_subscribe(a, "opaque:0"));
    CHECK_OK(ear_command(b, ACH_OPAQUE_CMD_DATA, &body));
    m = ear_data(a, ACH_OPAQUE_DATA_STATE);
    ach_message_unref(m);
    CHECK(!ear_next(a, 0.02)); /* received once only */
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &address, ear_queue(a)));
    CHECK_OK(ear_command(b, ACH_OPAQUE_CMD_DATA, &body));
    m = ear_data(a, ACH_OPAQUE_DATA_STATE);
    ach_message_unref(m);
    ear_close(a);
    ear_close(b);
    EVENTUALLY(probe_counts[0].shutdowns == 1);
    rig_end(rig);
}

static void test_failing_setup(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"] fail_setups 2)");
    ach_device_info_t info;
    ach_status_t status;
    struct ear *ear;
    char why[256];
    int i;

    for (i = 0; i < 2; i++) {
        ear = ear_try(rig, "opaque:0", &status, why);
        CHECK(status == ACH_EACCES);
        CHECK(strcmp(why, "the probe is not in the mood") == 0);
        ear_close(ear);
    }
    CHECK_OK(ach_robot_find(rig_robot(rig), &(ach_address_t){0, 0, 51, 0}, &info));
    CHECK(info.subscriptions == 0);
    CHECK(rig_logged(rig, "driver probe cannot be set up: the probe is not in the mood"));
    ear = ear_open(rig, "opaque:0");
    CHECK(probe_counts[0].setups == 1 && probe_counts[0].shutdowns == 0);
    ear_close(ear);
    rig_end(rig);
}

/* If a required device cannot be set up, the setup fails with the reason of that device. */
static void test_failing_need(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"] fail_setups 1)\n"
                                  "driver (name \"probe\" number 1 provides [\"opaque:1\"]\n"
                                  "        requires [\"opaque:0\"])");
    ach_status_t status;
    struct ear *ear;
    char why[256];

    ear = ear_try(rig, "opaque:1", &status, why);
    CHECK(status == ACH_EACCES);
    CHECK(strstr(why, "opaque:0, which it requires: the probe is not in the mood"));
    CHECK(probe_counts[1].setups_tried == 0);
    ear_close(ear);
    ear = ear_open(rig, "opaque:1");
    CHECK(probe_counts[0].setups == 1 && probe_counts[1].setups == 1);
    ear_close(ear);
    EVENTUALLY(probe_counts[0].shutdowns == 1);
    CHECK(probe_counts[1].shutdowns == 1);
    rig_end(rig);
}

static void test_withdrawn(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"] setup_ms 100)");
    ach_address_t address = rig_address("opaque:0");
    struct ear *ear = ear_begin(rig, "opaque:0"), *other;

    EVENTUALLY(probe_counts[0].setups_tried == 1);
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &address, ear_queue(ear)));
    CHECK(ear_status(ear) == ACH_CANCELED); /* before unsubscribe returns */
    CHECK_STATUS(ach_robot_unsubscribe(rig_robot(rig), &address, ear_queue(ear)), ACH_ENOENT);
    ear_forget(ear);
    EVENTUALLY(probe_counts[0].shutdowns == 1);

    /* A second subscriber during the setup does not cause another setup. */
    probe_reset();
    ear = ear_begin(rig, "opaque:0");
    EVENTUALLY(probe_counts[0].setups_tried == 1);
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &address, ear_queue(ear)));
    ear_forget(ear);
    other = ear_open(rig, "opaque:0");
    check_sleep_ms(50);
    CHECK(probe_counts[0].setups == 1 && probe_counts[0].shutdowns == 0);
    ear_close(other);
    rig_end(rig);
}

static void test_end_while_setting_up(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"] setup_ms 50)");
    struct ear *ear = ear_begin(rig, "opaque:0");

    EVENTUALLY(probe_counts[0].setups_tried == 1);
    rig_end(rig);
    CHECK(probe_counts[0].shutdowns == probe_counts[0].setups);
    ear_forget(ear);
}

/* A driver whose main returns is shut down and later set up again; subscribers stay. */
static void test_early_end(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0"), *late;
    uint8_t die = PROBE_DIE, echo = PROBE_ECHO;
    ach_opaque_data_t body = order(&die), again = order(&echo);
    ach_message_t *m;

    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &body));
    EVENTUALLY(probe_counts[0].shutdowns == 1);
    CHECK_STATUS(ear_command(ear, ACH_OPAQUE_CMD_DATA, &again), ACH_CLOSED);
    CHECK(rig_logged(rig, "driver probe has failed; next attempt in"));
    late = ear_open(rig, "opaque:0"); /* waits for the setup */
    CHECK(probe_counts[0].setups == 2);
    CHECK_OK(ear_command(late, ACH_OPAQUE_CMD_DATA, &again));
    m = ear_data(ear, ACH_OPAQUE_DATA_STATE);
    ach_message_unref(m);
    ear_close(late);
    ear_close(ear);
    EVENTUALLY(probe_counts[0].shutdowns == 2);
    rig_end(rig);
}

/* While the setup of a failed driver fails, a new subscriber is refused and does not wait. */
static void test_broken(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"] fail_later 1)");
    struct ear *ear = ear_open(rig, "opaque:0"), *late;
    uint8_t die = PROBE_DIE;
    ach_opaque_data_t body = order(&die);
    ach_status_t status;

    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &body));
    EVENTUALLY(probe_counts[0].shutdowns == 1);
    CHECK(ear_acked(ear, ACH_REQ_FLUSH, NULL)); /* no driver runs that could answer */
    late = ear_try(rig, "opaque:0", &status, NULL);
    CHECK(status == ACH_EACCES);
    ear_close(late);
    late = ear_open(rig, "opaque:0");
    CHECK(probe_counts[0].setups == 2);
    ear_close(late);
    ear_close(ear);
    rig_end(rig);
}

static void count_line(void *context, enum ach_log level, const char *line)
{
    (void)level;
    (void)line;
    ++*(unsigned *)context;
}

static void test_alwayson(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"] alwayson 1)");
    struct ear *ear;

    CHECK(probe_counts[0].setups == 1);
    ear = ear_open(rig, "opaque:0");
    ear_close(ear);
    check_sleep_ms(20);
    CHECK(probe_counts[0].shutdowns == 0);
    rig_end(rig);
    CHECK(probe_counts[0].shutdowns == 1);
}

/* A setup that fails at the start is tried again; a subscriber meanwhile is refused at once. */
static void test_alwayson_later(void)
{
    struct rig *rig =
        probe_start("driver (name \"probe\" provides [\"opaque:0\"] alwayson 1 fail_setups 2)");
    ach_status_t status;
    struct ear *ear;

    CHECK(probe_counts[0].setups == 0);
    CHECK(rig_count(rig, "driver probe cannot be set up: the probe is not in the mood") == 1);
    CHECK(rig_logged(rig, "driver probe has failed; next attempt in 0.5 s"));
    ear = ear_try(rig, "opaque:0", &status, NULL);
    CHECK(status == ACH_EACCES || probe_counts[0].setups_tried > 2);
    ear_close(ear);
    EVENTUALLY(probe_counts[0].setups == 1);
    CHECK(probe_counts[0].setups_tried == 3);
    rig_end(rig);
    CHECK(probe_counts[0].shutdowns == 1);
}

/* The end of a robot does not wait for a driver that cannot be set up. */
static void test_alwayson_never(void)
{
    struct rig *rig =
        probe_start("driver (name \"probe\" provides [\"opaque:0\"] alwayson 1 fail_setups 1000)");

    rig_end(rig);
    CHECK(probe_counts[0].setups == 0 && probe_counts[0].shutdowns == 0);
}

static void test_strict(void)
{
    ach_robot_attr_t attr = {.size = sizeof(attr), .strict = 1, .log = count_line};
    const char *text = "driver (name \"probe\" provides [\"opaque:0\"] alwayson 1 fail_setups 1)";
    ach_robot_t *robot;
    ach_config_t *config;
    unsigned lines = 0;

    attr.context = &lines;
    probe_reset();
    REQUIRE_OK(ach_robot_create(&attr, &robot));
    REQUIRE_OK(ach_robot_add_class(robot, &probe_class));
    REQUIRE_OK(ach_config_parse(text, strlen(text), "test.cfg", &config));
    REQUIRE_OK(ach_robot_load_config(robot, config));
    CHECK_STATUS(ach_robot_start(robot), ACH_EACCES);
    CHECK(strstr(ach_errstr(), "driver probe cannot be set up: the probe is not in the mood"));
    CHECK(lines == 0); /* the error is returned, not logged */
    CHECK(probe_counts[0].setups_tried == 1);
    ach_robot_destroy(robot);
    ach_config_destroy(config);
}

/* A client's bytes are escaped in log lines: they move no terminal's cursor and begin no line. */
static void test_plain_log(void)
{
    struct rig *rig = rig_start("driver (name \"dummy\" provides [\"laser:0\"])");

    ach_robot_log(rig_robot(rig), ACH_LOG_WARNING, "%s", "a\nb\x1b[31m \x7f\xc2\x9b \xe2\x80\xae~");
    CHECK(rig_logged(rig, "a\\x0ab\\x1b[31m \\x7f\\xc2\\x9b \\xe2\\x80\\xae~"));
    rig_end(rig);
}

/* The count of suppressed lines is logged after the limit's period, also if no line follows. */
static void test_counted_log(void)
{
    struct rig *rig = rig_start("driver (name \"dummy\" provides [\"laser:0\"])");
    unsigned i;

    for (i = 0; i < 100; i++)
        ach_robot_log(rig_robot(rig), ACH_LOG_WARNING, "flood %u", i);
    CHECK(rig_count(rig, "flood") == 20);
    EVENTUALLY(rig_count(rig, "80 more lines like this one were not logged: flood 99") == 1);
    CHECK(rig_count(rig, "flood") == 21);
    rig_end(rig);
    rig = rig_start("driver (name \"dummy\" provides [\"laser:0\"])");
    for (i = 0; i < 21; i++)
        ach_robot_log(rig_robot(rig), ACH_LOG_WARNING, "flood %u", i);
    rig_end(rig); /* while the thread waits */
}

int main(void)
{
    test_first_and_last();
    test_subscribed_twice();
    test_failing_setup();
    test_failing_need();
    test_withdrawn();
    test_end_while_setting_up();
    test_early_end();
    test_broken();
    test_alwayson();
    test_alwayson_later();
    test_alwayson_never();
    test_strict();
    test_plain_log();
    test_counted_log();
    return check_result();
}
