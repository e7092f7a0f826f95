/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - every request is answered once; the core answers for properties and capabilities */
#include <ach/interface/opaque.h>

#include "probe.h"
#include "rig.h"

static uint8_t answer_to(struct ear *ear, uint8_t what)
{
    ach_opaque_data_t body = {.data_count = 1, .data = &what};
    ach_message_t *m = ear_request(ear, ACH_OPAQUE_REQ_DATA, &body);
    uint8_t type = ach_message_header(m)->type;

    ach_message_unref(m);
    CHECK(!ear_next(ear, 0.02)); /* answered once only */
    return type;
}

static void test_answers(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    uint8_t keep = PROBE_KEEP;
    ach_opaque_data_t body = {.data_count = 1, .data = &keep};
    ach_message_t *m;

    CHECK(answer_to(ear, PROBE_ECHO) == ACH_MSG_ACK);
    CHECK(answer_to(ear, PROBE_FORGET) == ACH_MSG_NACK);
    CHECK(answer_to(ear, PROBE_UNKNOWN) == ACH_MSG_NACK);
    CHECK(answer_to(ear, PROBE_TWICE) == ACH_MSG_ACK);

    /* A request that is still kept when the driver is shut down gets a NACK. */
    ear_ask(ear, ACH_OPAQUE_REQ_DATA, &body);
    EVENTUALLY(probe_counts[0].messages == 5);
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &(ach_address_t){0, 0, 51, 0}, ear_queue(ear)));
    m = ear_want(ear, ACH_MSG_NACK, ACH_OPAQUE_REQ_DATA);
    ach_message_unref(m);
    ear_forget(ear);
    rig_end(rig);
}

/* Requests that wait in the queue of a driver that is shut down are answered as well. */
static void test_shutdown_with_queue(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    uint8_t stall = PROBE_STALL, echo = PROBE_ECHO;
    ach_opaque_data_t wait = {.data_count = 1, .data = &stall};
    ach_opaque_data_t ask = {.data_count = 1, .data = &echo};
    unsigned i, n = 0;
    ach_message_t *m;

    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &wait));
    for (i = 0; i < 2000; i++)
        ear_ask(ear, ACH_OPAQUE_REQ_DATA, &ask);
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &(ach_address_t){0, 0, 51, 0}, ear_queue(ear)));
    while (n < 2000 && (m = ear_next(ear, RIG_PATIENCE))) {
        CHECK(ach_message_header(m)->sequence == 2 + n);
        ach_message_unref(m);
        n++;
    }
    CHECK(n == 2000);
    ear_forget(ear);
    rig_end(rig);
}

static void test_refused(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    ach_robot_t *robot = rig_robot(rig);
    static const char good[12] = {0, 0, 0, 1, 0, 0, 0, 1, PROBE_ECHO};
    static const char twin[12] = {0, 0, 0, 1, 0, 0, 0, 2, PROBE_ECHO};
    static const char huge[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    ach_header_t h = {.address = {.interf = 51}, .type = ACH_MSG_REQ, .subtype = 1};
    ach_header_t absent = h, odd = h, data = h;
    struct ear *ear;

    absent.address.index = 9;
    odd.subtype = 77;
    data.type = ACH_MSG_DATA;
    CHECK_STATUS(ach_robot_deliver(robot, &h, good, sizeof(good), NULL), ACH_CLOSED);
    ear = ear_open(rig, "opaque:0");
    CHECK_STATUS(ach_robot_deliver(robot, &absent, good, sizeof(good), ear_queue(ear)), ACH_ENOENT);
    CHECK_STATUS(ach_robot_deliver(robot, &odd, good, sizeof(good), ear_queue(ear)), ACH_ENOENT);
    CHECK_STATUS(ach_robot_deliver(robot, &data, good, sizeof(good), ear_queue(ear)), ACH_EINVAL);
    CHECK_STATUS(ach_robot_deliver(robot, &h, huge, sizeof(huge), ear_queue(ear)), ACH_CORRUPT);
    CHECK_STATUS(ach_robot_deliver(robot, &h, good, 7, ear_queue(ear)), ACH_CORRUPT);
    CHECK_STATUS(ach_robot_deliver(robot, &h, twin, sizeof(twin), ear_queue(ear)), ACH_CORRUPT);
    CHECK(!ear_next(ear, 0.02));
    CHECK_OK(ach_robot_deliver(robot, &h, NULL, 0, ear_queue(ear)));
    CHECK_OK(ach_robot_deliver(robot, &h, good, sizeof(good), NULL)); /* the answer is dropped */
    ear_close(ear);
    rig_end(rig);
}

/* A command that does not fit into the queue of a stalled driver is refused with ACH_OVERFLOW. */
static void test_command_overflow(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    uint8_t stall = PROBE_STALL;
    ach_opaque_data_t wait = {.data_count = 1, .data = &stall};
    ach_status_t status = ACH_OK;
    unsigned i;

    for (i = 0; i < 5000 && status == ACH_OK; i++)
        status = ear_command(ear, ACH_OPAQUE_CMD_DATA, &wait);
    CHECK(status == ACH_OVERFLOW);
    CHECK(strstr(ach_errstr(), "the queue of opaque:0 is full"));
    CHECK(i > ACH_QUEUE_MESSAGES);
    ear_close(ear);
    rig_end(rig); /* does not wait for a thousand stalls */
}

/* A driver that keeps all requests, unanswered, until it is shut down. */
static ach_message_t *held[1000];
static unsigned n_held;

static ach_status_t hoard_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_address_t address;

    (void)options;
    *state = NULL;
    return ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &address);
}

static void hoard_shutdown(ach_driver_t *driver, void *state)
{
    (void)driver;
    (void)state;
    while (n_held)
        ach_message_unref(held[--n_held]);
}

static ach_status_t hoard_process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    (void)driver;
    (void)state;
    held[n_held++] = ach_message_ref(m);
    return ACH_OK;
}

static const ach_driver_class_t hoard = {
    .version = ACH_DRIVER_VERSION,
    .name = "hoard",
    .create = hoard_create,
    .shutdown = hoard_shutdown,
    .process = hoard_process,
};

/* The bytes of a client's pending requests are limited, wherever they are; others may send. */
static void test_bytes_under_way(void)
{
    struct rig *rig = rig_create(false);
    static uint8_t bytes[1000000];
    ach_opaque_data_t body = {.data_count = sizeof(bytes), .data = bytes};
    ach_header_t h = {.address = {.interf = ACH_OPAQUE_CODE},
                      .type = ACH_MSG_REQ,
                      .subtype = ACH_OPAQUE_REQ_DATA};
    ach_status_t status = ACH_OK;
    struct ear *ear, *other;
    const void *encoded;
    ach_message_t *m;
    unsigned n = 0;
    size_t size;

    rig_add(rig, &hoard);
    REQUIRE_OK(rig_load(rig, "driver (name \"hoard\" provides [\"opaque:0\"])"));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    ear = ear_open(rig, "opaque:0");
    other = ear_open(rig, "opaque:0");
    REQUIRE_OK(ach_message_create(&h, &body, &m));
    encoded = ach_message_bytes(m, &size);
    while (n < 500 && status == ACH_OK) {
        status = ach_robot_deliver(rig_robot(rig), &h, encoded, size, ear_queue(ear));
        n += status == ACH_OK;
    }
    CHECK(status == ACH_OVERFLOW);
    CHECK(n > 60 && n < 68);
    CHECK(strstr(ach_errstr(), "bytes of requests are not answered yet"));
    EVENTUALLY(ach_robot_deliver(rig_robot(rig), &h, encoded, size, ear_queue(other)) == ACH_OK);
    ear_close(other);
    ear_close(ear);
    ear = ear_open(rig, "opaque:0"); /* set up again: no request is pending */
    CHECK_OK(ach_robot_deliver(rig_robot(rig), &h, encoded, size, ear_queue(ear)));
    ach_message_unref(m);
    ear_close(ear);
    rig_end(rig);
}

/* A driver that sends a request to hoard for each command. */
static ach_address_t asked;
static ach_status_t heard; /* result of its request; 0 while it waits */

static ach_status_t asker_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_address_t address;
    ach_status_t status = ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &address);

    (void)options;
    *state = NULL;
    return status == ACH_OK ? ach_driver_require(driver, ACH_OPAQUE_CODE, NULL, &asked) : status;
}

static ach_status_t asker_process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    ach_status_t status =
        ach_driver_request(driver, &asked, ACH_OPAQUE_REQ_DATA, ach_message_body(m), 0.05, NULL);

    (void)state;
    __atomic_store_n(&heard, status, __ATOMIC_RELEASE);
    return ACH_OK;
}

static const ach_driver_class_t asker = {
    .version = ACH_DRIVER_VERSION,
    .name = "asker",
    .create = asker_create,
    .process = asker_process,
};

/* A driver whose request is not answered continues after its timeout. */
static void test_driver_waits_in_vain(void)
{
    struct rig *rig = rig_create(false);
    uint8_t what = 1;
    ach_opaque_data_t body = {.data_count = 1, .data = &what};
    struct ear *ear;

    rig_add(rig, &hoard);
    rig_add(rig, &asker);
    REQUIRE_OK(rig_load(rig, "driver (name \"hoard\" provides [\"opaque:0\"])"
                             "driver (name \"asker\" provides [\"opaque:1\"] "
                             "requires [\"opaque:0\"])"));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    ear = ear_open(rig, "opaque:1");
    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &body));
    EVENTUALLY(__atomic_load_n(&heard, __ATOMIC_ACQUIRE) == ACH_TIMEOUT);
    ear_close(ear);
    rig_end(rig);
}

static void test_properties(void)
{
    struct rig *rig =
        probe_start("driver (name \"probe\" provides [\"opaque:0\" \"opaque:1\"] speed 2.5)");
    struct ear *ear = ear_begin(rig, "opaque:0");
    char speed[] = "speed", title[] = "title", value[] = "new";
    ach_dblprop_t dbl = {.key_count = 6, .key = speed, .value = -3};
    ach_strprop_t str = {.key_count = 6, .key = title, .value_count = 4, .value = value};
    ach_intprop_t wrong = {.key_count = 6, .key = speed, .value = 5};
    ach_message_t *m = ear_request(ear, ACH_REQ_GET_DBLPROP, &dbl);

    CHECK(((const ach_dblprop_t *)ach_message_body(m))->value == 2.5);
    ach_message_unref(m);
    CHECK(ear_acked(ear, ACH_REQ_SET_DBLPROP, &dbl));
    m = ear_request(ear, ACH_REQ_GET_DBLPROP, &dbl);
    CHECK(((const ach_dblprop_t *)ach_message_body(m))->value == -3);
    ach_message_unref(m);
    CHECK(ear_acked(ear, ACH_REQ_SET_STRPROP, &str));
    m = ear_request(ear, ACH_REQ_GET_STRPROP, &str);
    CHECK(strcmp(((const ach_strprop_t *)ach_message_body(m))->value, "new") == 0);
    ach_message_unref(m);
    m = ear_request(ear, ACH_REQ_GET_INTPROP, &wrong); /* of another type: refused, body returned */
    CHECK(ach_message_header(m)->type == ACH_MSG_NACK);
    CHECK(((const ach_intprop_t *)ach_message_body(m))->value == 5);
    ach_message_unref(m);
    CHECK(!ear_acked(ear, ACH_REQ_GET_DBLPROP, NULL));
    EVENTUALLY(ear_status(ear) == ACH_OK);
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &(ach_address_t){0, 0, 51, 0}, ear_queue(ear)));
    ear_forget(ear);
    rig_end(rig);
}

static void test_capabilities(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    ach_capability_t can = {.type = ACH_MSG_CMD, .subtype = ACH_OPAQUE_CMD_DATA};
    ach_capability_t cannot = {.type = ACH_MSG_REQ, .subtype = ACH_OPAQUE_REQ_DATA};
    ach_capability_t other = {.type = ACH_MSG_CMD, .subtype = 99};

    CHECK(ear_acked(ear, ACH_REQ_CAPABILITY, &can));
    CHECK(!ear_acked(ear, ACH_REQ_CAPABILITY, &cannot));
    CHECK(!ear_acked(ear, ACH_REQ_CAPABILITY, &other));
    CHECK(!ear_acked(ear, ACH_REQ_CAPABILITY, NULL));
    CHECK(probe_counts[0].messages == 0);
    ear_close(ear);
    rig_end(rig);
}

int main(void)
{
    test_answers();
    test_shutdown_with_queue();
    test_refused();
    test_command_overflow();
    test_bytes_under_way();
    test_driver_waits_in_vain();
    test_properties();
    test_capabilities();
    return check_result();
}
