/* SPDX-License-Identifier: BSD-3-Clause */
/* plumbing.c - passthrough, cmdsplitter and relay carry everything, and change nothing */
#include <ach/interface/opaque.h>

#include "probe.h"
#include "rig.h"

static ach_opaque_data_t bytes(uint8_t *data, uint32_t n)
{
    return (ach_opaque_data_t){.data_count = n, .data = data};
}

static void check_bytes(const ach_message_t *m, const uint8_t *data, uint32_t n)
{
    const ach_opaque_data_t *body = ach_message_body(m);

    CHECK(body && body->data_count == n && memcmp(body->data, data, n) == 0);
}

static void test_request(struct ear *ear, uint8_t what, uint8_t type)
{
    uint8_t data[] = {what, 7, 8};
    ach_opaque_data_t body = bytes(data, 3);
    ach_message_t *m = ear_request(ear, ACH_OPAQUE_REQ_DATA, &body);

    CHECK(ach_message_header(m)->type == type);
    CHECK(ach_address_equal(&ach_message_header(m)->address, &(ach_address_t){0, 0, 51, 5}));
    if (type == ACH_MSG_ACK)
        check_bytes(m, data, 3);
    ach_message_unref(m);
}

static void test_properties(struct ear *ear)
{
    char key[] = "speed", none[] = "none";
    ach_dblprop_t get = {.key_count = sizeof(key), .key = key};
    ach_dblprop_t missing = {.key_count = sizeof(none), .key = none};
    ach_capability_t can = {.type = ACH_MSG_CMD, .subtype = ACH_OPAQUE_CMD_DATA};
    ach_capability_t cannot = {.type = ACH_MSG_CMD, .subtype = 99};
    ach_message_t *m = ear_request(ear, ACH_REQ_GET_DBLPROP, &get);
    const ach_dblprop_t *got = ach_message_body(m);

    CHECK(ach_message_header(m)->type == ACH_MSG_ACK && got && got->value == 1.5);
    ach_message_unref(m);
    CHECK(!ear_acked(ear, ACH_REQ_GET_DBLPROP, &missing));
    CHECK(ear_acked(ear, ACH_REQ_CAPABILITY, &can));
    CHECK(!ear_acked(ear, ACH_REQ_CAPABILITY, &cannot));
}

static void test_passthrough(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])\n"
                                  "driver (name \"passthrough\" requires [\"opaque:0\"]\n"
                                  "        provides [\"opaque:1\"])\n"
                                  "driver (name \"passthrough\" requires [\"opaque:1\"]\n"
                                  "        provides [\"opaque:5\"])\n");
    struct ear *ear = ear_open(rig, "opaque:5");
    uint8_t data[] = {PROBE_ECHO, 1, 2, 3}, many[] = {PROBE_COUNT};
    ach_opaque_data_t body = bytes(data, 4), count = bytes(many, 1);
    ach_message_t *m;
    uint8_t i;

    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &body));
    m = ear_data(ear, ACH_OPAQUE_DATA_STATE);
    check_bytes(m, data, 4);
    CHECK(ach_message_header(m)->address.index == 5);
    ach_message_unref(m);
    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &count));
    for (i = 0; i < 100; i++) {
        m = ear_data(ear, ACH_OPAQUE_DATA_STATE);
        check_bytes(m, &i, 1);
        ach_message_unref(m);
    }
    test_request(ear, PROBE_ECHO, ACH_MSG_ACK);
    test_request(ear, PROBE_FORGET, ACH_MSG_NACK);
    test_request(ear, PROBE_UNKNOWN, ACH_MSG_NACK);
    test_properties(ear);
    ear_close(ear);
    EVENTUALLY(probe_counts[0].shutdowns == 1);
    CHECK(probe_counts[0].setups == 1);
    rig_end(rig);
}

/* Two clients whose requests have the same sequence each get their own answer, in any order. */
static void test_two_clients(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])\n"
                                  "driver (name \"passthrough\" requires [\"opaque:0\"]\n"
                                  "        provides [\"opaque:5\"])\n");
    struct ear *a = ear_open(rig, "opaque:5"), *b = ear_open(rig, "opaque:5");
    uint8_t keep[] = {PROBE_KEEP}, echo[] = {PROBE_ECHO, 9}, answer[] = {PROBE_ANSWER};
    ach_opaque_data_t body = bytes(keep, 1), other = bytes(echo, 2), now = bytes(answer, 1);
    ach_message_t *m;

    CHECK(ear_ask(a, ACH_OPAQUE_REQ_DATA, &body) == 1);
    m = ear_request(b, ACH_OPAQUE_REQ_DATA, &other);
    check_bytes(m, echo, 2);
    CHECK(ach_message_header(m)->sequence == 1);
    ach_message_unref(m);
    CHECK(!ear_next(a, 0.02));
    CHECK_OK(ear_command(b, ACH_OPAQUE_CMD_DATA, &now));
    m = ear_want(a, ACH_MSG_ACK, ACH_OPAQUE_REQ_DATA);
    CHECK(m && ach_message_header(m)->sequence == 1);
    ach_message_unref(m);
    CHECK(!ear_next(b, 0.02));
    ear_ask(a, ACH_OPAQUE_REQ_DATA, &body);
    ear_close(b);
    EVENTUALLY(probe_counts[0].messages == 4);
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &(ach_address_t){0, 0, 51, 5}, ear_queue(a)));
    m = ear_want(a, ACH_MSG_NACK, ACH_OPAQUE_REQ_DATA); /* refused at the shutdown */
    ach_message_unref(m);
    CHECK_STATUS(ach_robot_unsubscribe(rig_robot(rig), &(ach_address_t){0, 0, 51, 5}, ear_queue(a)),
                 ACH_ENOENT);
    ear_forget(a);
    rig_end(rig);
}

static void test_splitter(void)
{
    struct rig *rig = probe_start(
        "driver (name \"probe\" provides [\"opaque:0\"] number 0)\n"
        "driver (name \"probe\" provides [\"opaque:1\"] number 1)\n"
        "driver (name \"probe\" provides [\"opaque:2\"] number 2)\n"
        "driver (name \"cmdsplitter\" requires [\"opaque:1\" \"opaque:0\" \"opaque:2\"]\n"
        "        provides [\"opaque:5\"])\n");
    struct ear *ear = ear_open(rig, "opaque:5");
    uint8_t data[] = {PROBE_ECHO, 1};
    ach_opaque_data_t body = bytes(data, 2);
    ach_message_t *m;

    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &body));
    EVENTUALLY(probe_counts[0].messages == 1);
    EVENTUALLY(probe_counts[1].messages == 1);
    EVENTUALLY(probe_counts[2].messages == 1);
    m = ear_data(ear, ACH_OPAQUE_DATA_STATE);
    ach_message_unref(m);
    CHECK(!ear_next(ear, 0.05)); /* data of the first device only */
    test_request(ear, PROBE_ECHO, ACH_MSG_ACK);
    EVENTUALLY(probe_counts[1].messages == 2);
    CHECK(probe_counts[0].messages == 1);
    test_properties(ear);
    ear_close(ear);
    rig_end(rig);
}

static void test_relay(void)
{
    struct rig *rig = probe_start("driver (name \"relay\" provides [\"opaque:0\" \"opaque:1\"])");
    struct ear *a = ear_open(rig, "opaque:0"), *b = ear_open(rig, "opaque:0");
    struct ear *other = ear_open(rig, "opaque:1");
    uint8_t data[] = {0xff, 0, 1};
    ach_opaque_data_t body = bytes(data, 3);
    ach_message_t *m;

    CHECK_OK(ear_command(a, ACH_OPAQUE_CMD_DATA, &body));
    m = ear_data(a, ACH_OPAQUE_DATA_STATE);
    check_bytes(m, data, 3);
    ach_message_unref(m);
    m = ear_data(b, ACH_OPAQUE_DATA_STATE);
    check_bytes(m, data, 3);
    ach_message_unref(m);
    CHECK(!ear_next(other, 0.02));
    CHECK(!ear_acked(a, ACH_OPAQUE_REQ_DATA, &body));
    ear_close(a);
    ear_close(b);
    ear_close(other);
    rig_end(rig);
}

static void test_wrong(void)
{
    rig_refuses("driver (name \"passthrough\" provides [\"laser:0\"])", "as many");
    rig_refuses("driver (name \"null\" provides [\"sonar:0\"])\n"
                "driver (name \"passthrough\" provides [\"laser:0\"] requires [\"sonar:0\"])",
                "a device of the interface");
    rig_refuses("driver (name \"null\" provides [\"sonar:0\"])\n"
                "driver (name \"writelog\" provides [\"log:0\"] requires [\"sonar:0\"] sync -1)",
                "0, or a number of seconds above 0");
    rig_refuses("driver (name \"cmdsplitter\" provides [\"laser:0\"])", "one device or more");
    rig_refuses("driver (name \"relay\" provides [\"sonar:0\"])",
                "no command that can be relayed as data");
    rig_refuses("driver (name \"relay\")", "names no device");
}

int main(void)
{
    test_passthrough();
    test_two_clients();
    test_splitter();
    test_relay();
    test_wrong();
    return check_result();
}
