/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hand.c - a robot's channels served by ach_channels_poll, without a thread
 *
 * The client here writes to the channels directly and never waits, so that one thread
 * can check what a single call of ach_channels_poll has done.
 */
#include <ach/channel.h>
#include <ach/device.h>
#include <ach/interface/opaque.h>
#include <ach/interface/player.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"
#include "rig.h"

/* A driver without a thread: it publishes commands as data, and answers requests. */
static ach_address_t own;
static unsigned processed;

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    (void)options;
    *state = NULL;
    return ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &own);
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    (void)state;
    processed++;
    return ach_message_header(m)->type == ACH_MSG_CMD
               ? ach_driver_forward(driver, &own, m)
               : ach_driver_reply(driver, m, ACH_MSG_ACK, ach_message_body(m));
}

static const ach_driver_class_t reckoned = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_INLINE,
    .name = "reckoned",
    .create = create,
    .process = process,
};

#define CONFIG                                                                                     \
    "driver (name \"reckoned\" provides [\"opaque:0\"])\n"                                         \
    "driver (name \"probe\" provides [\"opaque:1\"] number 1 tick 1000 setup_ms 20)\n"             \
    "driver (name \"probe\" provides [\"opaque:2\"] number 2 tick 1000 fail_setups 1000)\n"

static struct rig *rig;
static ach_channels_t *channels;
static ach_channel_t req, ans;
static uint32_t sequence;

static void start(bool simulated)
{
    rig = rig_create(simulated);
    probe_reset();
    rig_add(rig, &probe_class);
    rig_add(rig, &reckoned);
    REQUIRE_OK(rig_load(rig, CONFIG));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    REQUIRE_OK(ach_channels_serve(rig_robot(rig), NULL, &channels));
    REQUIRE_OK(ach_open(&req, "dev.6665.req", NULL));
    REQUIRE_OK(ach_open(&ans, "dev.6665.ans", NULL));
}

static void end(void)
{
    ach_close(&req);
    ach_close(&ans);
    ach_channels_end(channels);
    rig_end(rig);
}

static void put(ach_channel_t *chan, const ach_header_t *h, const ach_type_t *type,
                const void *body)
{
    unsigned char bytes[256];
    size_t size;

    REQUIRE_OK(
        ach_encode(type, body, bytes + ACH_FRAME_HEADER, sizeof(bytes) - ACH_FRAME_HEADER, &size));
    ach_frame_write(h, (uint32_t)size, bytes);
    REQUIRE_OK(ach_put(chan, bytes, ACH_FRAME_HEADER + size));
}

static void access_as(pid_t pid, uint32_t handle, uint16_t index, uint8_t access)
{
    ach_header_t h = {
        .address = {.host = (uint32_t)pid, .robot = handle, .interf = ACH_PLAYER_CODE},
        .type = ACH_MSG_REQ,
        .subtype = ACH_PLAYER_REQ_DEV,
        .sequence = ++sequence};
    ach_player_device_req_t body = {.addr = {.interf = ACH_OPAQUE_CODE, .index = index},
                                    .access = access};

    put(&req, &h, &ach_player_device_req_type, &body);
}

static void device_access(uint16_t index, uint8_t access)
{
    access_as(getpid(), 7, index, access);
}

static void ask(uint16_t index, uint8_t what)
{
    ach_header_t h = {.address = {.host = (uint32_t)getpid(),
                                  .robot = 7,
                                  .interf = ACH_OPAQUE_CODE,
                                  .index = index},
                      .type = ACH_MSG_REQ,
                      .subtype = ACH_OPAQUE_REQ_DATA,
                      .sequence = ++sequence};

    put(&req, &h, &ach_opaque_data_type, &(ach_opaque_data_t){.data_count = 1, .data = &what});
}

static void command(uint16_t index, uint8_t what)
{
    ach_header_t h = {.type = ACH_MSG_CMD, .subtype = ACH_OPAQUE_CMD_DATA};
    char name[64];
    ach_channel_t chan;

    snprintf(name, sizeof(name), "dev.6665.opaque.%u.cmd", index);
    REQUIRE_OK(ach_open(&chan, name, NULL));
    put(&chan, &h, &ach_opaque_data_type, &(ach_opaque_data_t){.data_count = 1, .data = &what});
    ach_close(&chan);
}

/* The type of the next answer, 0 if there is none; *to is the sequence of its request. */
static uint8_t answer(uint32_t *to)
{
    unsigned char bytes[1024];
    ach_header_t h;
    uint32_t body;
    size_t size;

    if (ach_get(&ans, bytes, sizeof(bytes), &size, NULL, 0) != ACH_OK)
        return 0;
    REQUIRE_OK(ach_frame_read(bytes, &h, &body));
    *to = h.sequence;
    return h.type;
}

/* Whether there is exactly one answer, of this type and to the latest request. */
static bool answered(uint8_t type)
{
    uint32_t to = 0, more;

    return answer(&to) == type && to == sequence && answer(&more) == 0;
}

static unsigned subscriptions(uint16_t index)
{
    ach_address_t a = {.interf = ACH_OPAQUE_CODE, .index = index};
    ach_device_info_t info;

    REQUIRE_OK(ach_robot_find(rig_robot(rig), &a, &info));
    return info.subscriptions;
}

static void test_subscribe(void)
{
    CHECK_OK(ach_channels_poll(channels, 0));
    device_access(1, ACH_PLAYER_OPEN_MODE);
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(answered(ACH_MSG_ACK) && probe_counts[1].setups == 1);
    device_access(2, ACH_PLAYER_OPEN_MODE);
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(answered(ACH_MSG_NACK) && probe_counts[2].setups_tried == 1);
    device_access(2, ACH_PLAYER_CLOSE_MODE);
    device_access(5, ACH_PLAYER_OPEN_MODE); /* no such device */
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(answered(ACH_MSG_NACK));
}

/* When ach_channels_poll returns, the inline driver has processed all commands in order. */
static void test_commands(void)
{
    unsigned char bytes[256];
    ach_channel_t data;
    size_t size;
    uint8_t i;

    device_access(0, ACH_PLAYER_OPEN_MODE);
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(answered(ACH_MSG_ACK));
    REQUIRE_OK(ach_open(&data, "dev.6665.opaque.0.data", NULL));
    REQUIRE_OK(ach_flush(&data));
    processed = 0;
    for (i = 10; i < 20; i++)
        command(0, i);
    CHECK(processed == 0);
    CHECK_OK(ach_channels_poll(channels, 0));
    CHECK(processed == 10);
    for (i = 10; i < 20; i++) {
        CHECK_OK(ach_get(&data, bytes, sizeof(bytes), &size, NULL, 0));
        CHECK(bytes[size - 4] == i); /* one byte and three of padding */
    }
    CHECK_STATUS(ach_get(&data, bytes, sizeof(bytes), &size, NULL, 0), ACH_STALE_FRAMES);
    ach_close(&data);
}

static void test_requests(void)
{
    ask(0, 1);
    CHECK_OK(ach_channels_poll(channels, 0));
    CHECK(answered(ACH_MSG_ACK));
    ask(1, PROBE_ECHO);
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(answered(ACH_MSG_ACK));
    ask(1, PROBE_UNKNOWN);
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(answered(ACH_MSG_NACK));
    ask(2, PROBE_ECHO); /* not set up */
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(answered(ACH_MSG_NACK));
}

/* ach_channels_poll does not wait for a driver that keeps a request for later. */
static void test_kept(void)
{
    ask(1, PROBE_KEEP);
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(!answered(ACH_MSG_ACK));
    command(1, PROBE_ANSWER);
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK_OK(ach_robot_settle(rig_robot(rig), RIG_PATIENCE));
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(answered(ACH_MSG_ACK));
}

/* On the real clock ach_channels_poll cannot know that a request is kept, and waits for it. */
static void test_kept_wall(void)
{
    bool there = false;

    ask(1, PROBE_KEEP);
    CHECK_STATUS(ach_channels_poll(channels, 0.01), ACH_TIMEOUT);
    CHECK(strstr(ach_errstr(), "1 requests have no answer"));
    CHECK(!answered(ACH_MSG_ACK));
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE)); /* nothing new: does not wait */
    EVENTUALLY(probe_counts[1].messages > 0);
    command(1, PROBE_ANSWER);
    EVENTUALLY(ach_channels_poll(channels, 0) == ACH_OK && (there |= answered(ACH_MSG_ACK)));
}

static void test_close(void)
{
    device_access(0, ACH_PLAYER_CLOSE_MODE);
    device_access(1, ACH_PLAYER_CLOSE_MODE);
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    CHECK(subscriptions(0) == 0 && subscriptions(1) == 0 && subscriptions(2) == 0);
    EVENTUALLY(probe_counts[1].shutdowns == 1);
}

/* Subscribe as an application does, and exit without unsubscribing. */
static void be_client(void)
{
    ach_device_attr_t attr = {
        .size = sizeof(attr), .timeout = RIG_PATIENCE, .transport = "channel"};
    ach_device_t *d;

    _exit(ach_device_open("opaque:1", &attr, &d) == ACH_OK ? 0 : 1);
}

/* A dead client is unsubscribed by ach_channels_look, not before. */
static void test_dead(void)
{
    pid_t pid = fork();
    bool ended = false;
    int status = -1;

    REQUIRE(pid >= 0);
    if (pid == 0)
        be_client();
    EVENTUALLY(ach_channels_poll(channels, RIG_PATIENCE) == ACH_OK &&
               (ended |= waitpid(pid, &status, WNOHANG) == pid));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(subscriptions(1) == 1);
    ach_channels_look(channels);
    CHECK(subscriptions(1) == 0);
    ach_channels_look(channels);
}

/* Open a device @n times in the name of process @pid; returns how often that was granted. */
static unsigned open_often(pid_t pid, unsigned n)
{
    unsigned i, granted = 0;
    uint8_t type;
    uint32_t to;

    for (i = 0; i < n; i++) {
        access_as(pid, i, 0, ACH_PLAYER_OPEN_MODE);
        CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
        do /* an answer to the dead client may come late */
            type = answer(&to);
        while (type && to != sequence);
        CHECK(type == ACH_MSG_ACK || type == ACH_MSG_NACK);
        granted += type == ACH_MSG_ACK;
    }
    return granted;
}

/* A request can name any process, so subscriptions are limited: 1024 per process, 4096 in all. */
static void test_limits(void)
{
    pid_t pids[4];
    unsigned i;

    for (i = 0; i < 4; i++) {
        pids[i] = fork();
        REQUIRE(pids[i] >= 0);
        if (pids[i] == 0) {
            pause();
            _exit(0);
        }
    }
    REQUIRE_OK(ach_flush(&ans)); /* answers of the previous test */
    CHECK(open_often(getpid(), 1030) == 1024);
    CHECK(open_often(pids[0], 1030) == 1024);
    CHECK(open_often(pids[1], 1030) == 1024);
    CHECK(open_often(pids[2], 1000) == 1000);
    CHECK(open_often(pids[3], 50) == 24);
    CHECK(subscriptions(0) == 4096);
    for (i = 0; i < 4; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    ach_channels_look(channels);
    CHECK(subscriptions(0) == 1024);
    for (i = 0; i < 1024; i++) {
        access_as(getpid(), i, 0, ACH_PLAYER_CLOSE_MODE);
        CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
    }
    CHECK(subscriptions(0) == 0);
    CHECK(open_often(getpid(), 1) == 1); /* what was closed does not count */
    access_as(getpid(), 0, 0, ACH_PLAYER_CLOSE_MODE);
    CHECK_OK(ach_channels_poll(channels, RIG_PATIENCE));
}

static void test_options(void)
{
    static const char text[] = "\nchannel ( count 8\n size 10 )";
    ach_config_t *config;
    ach_channels_t *c;

    REQUIRE_OK(ach_config_parse(text, sizeof(text) - 1, "test.cfg", &config));
    CHECK_STATUS(ach_channels_serve(rig_robot(rig),
                                    ach_section_next(ach_config_root(config), "channel", NULL), &c),
                 ACH_EINVAL);
    if (!CHECK(strstr(ach_config_errors(config), "test.cfg:3:")))
        fprintf(stderr, "%s\n", ach_config_errors(config));
    ach_config_destroy(config);
    CHECK_STATUS(ach_channels_serve(rig_robot(rig), NULL, &c), ACH_EEXIST);
}

/* A log callback that calls the robot, which would deadlock if a lock were held. */
static ach_robot_t *logging;
static unsigned lines;

static void take_line(void *context, enum ach_log level, const char *line)
{
    ach_sink_t sink = {0};

    (void)context;
    (void)level;
    if (!strstr(line, "cannot be put into its channel"))
        return;
    CHECK(strstr(line, "opaque:0"));
    CHECK(strstr(line, "channel ( size "));
    CHECK_OK(ach_robot_sink(logging, &own, NULL));
    CHECK_OK(ach_robot_sink(logging, &own, &sink));
    lines++;
}

/* Data that is too long for its channel is logged once, by ach_channels_poll. */
static void test_complaint(void)
{
    ach_robot_attr_t attr = {.size = sizeof(attr), .level = ACH_LOG_WARNING, .log = take_line};
    static const char text[] = "driver (name \"reckoned\" provides [\"opaque:0\"] alwayson 1)\n"
                               "channel (size 1024 count 2)";
    static uint8_t many[100000];
    ach_opaque_data_t body = {.data_count = sizeof(many), .data = many};
    static unsigned char bytes[sizeof(many) + 64];
    ach_header_t h = {.type = ACH_MSG_CMD, .subtype = ACH_OPAQUE_CMD_DATA};
    ach_config_t *config;
    size_t size;

    REQUIRE_OK(ach_robot_create(&attr, &logging));
    REQUIRE_OK(ach_robot_add_class(logging, &reckoned));
    REQUIRE_OK(ach_config_parse(text, sizeof(text) - 1, "test.cfg", &config));
    REQUIRE_OK(ach_robot_load_config(logging, config));
    REQUIRE_OK(ach_robot_start(logging));
    REQUIRE_OK(ach_channels_serve(
        logging, ach_section_next(ach_config_root(config), "channel", NULL), &channels));
    REQUIRE_OK(ach_encode(&ach_opaque_data_type, &body, bytes, sizeof(bytes), &size));
    h.address = own;
    CHECK_OK(ach_robot_deliver(logging, &h, bytes, size, NULL));
    CHECK_OK(ach_robot_deliver(logging, &h, bytes, size, NULL));
    CHECK(lines == 0);
    CHECK_OK(ach_channels_poll(channels, 0));
    CHECK_OK(ach_channels_poll(channels, 0));
    CHECK(lines == 1);
    ach_channels_end(channels);
    ach_robot_destroy(logging);
    ach_config_destroy(config);
}

int main(void)
{
    start(true);
    test_subscribe();
    test_commands();
    test_requests();
    test_kept();
    test_close();
    test_dead();
    test_limits();
    test_options();
    end();
    start(false);
    test_subscribe();
    test_commands();
    test_requests();
    test_kept_wall();
    test_close();
    test_dead();
    end();
    test_complaint();
    return check_result();
}
