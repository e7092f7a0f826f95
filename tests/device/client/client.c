/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An application finds the same device on every transport: in the process, through
 * channels, by TCP. Each test runs on all three.
 */
#include <ach/channel.h>
#include <ach/device.h>
#include <ach/proxies.h>
#include <ach/tcp.h>
#include <poll.h>
#include <signal.h>

#include "probe.h"
#include "rig.h"

#define CONFIG                                                                                     \
    "driver (name \"probe\" provides [\"opaque:0\"] number 1 title \"x\")\n"                       \
    "driver (name \"probe\" provides [\"opaque:1\"] number 2 fail_setups 1000)\n"

static struct rig *rig;
static void *channels, *tcp;
static char port[16];
static const char *transport;

static void start(void)
{
    ach_config_t *config;
    char options[] = "tcp ( port 0 )";

    rig = rig_create(false);
    rig_add(rig, &probe_class);
    REQUIRE_OK(rig_load(rig, CONFIG));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    REQUIRE_OK(ach_config_parse(options, sizeof(options) - 1, "tcp", &config));
    REQUIRE_OK(ach_transport_tcp.serve(
        rig_robot(rig), ach_section_next(ach_config_root(config), "tcp", NULL), &tcp));
    ach_config_destroy(config);
    REQUIRE_OK(ach_transport_channel.serve(rig_robot(rig), NULL, &channels));
    snprintf(port, sizeof(port), "%u", ach_tcp_port(tcp));
}

static void end(void)
{
    ach_transport_channel.end(channels);
    ach_transport_tcp.end(tcp);
    rig_end(rig);
}

static ach_status_t try_open(const char *device, ach_device_t **d)
{
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = RIG_PATIENCE};
    char address[64];

    if (strcmp(transport, "inproc") == 0)
        attr.robot = rig_robot(rig);
    else
        attr.transport = transport;
    snprintf(address, sizeof(address), "%s%s%s", strcmp(transport, "tcp") == 0 ? port : "",
             strcmp(transport, "tcp") == 0 ? ":" : "", device);
    return ach_device_open(address, &attr, d);
}

static ach_device_t *open_device(const char *device)
{
    ach_device_t *d;

    REQUIRE_OK(try_open(device, &d));
    CHECK(strcmp(ach_device_transport(d), transport) == 0);
    return d;
}

static ach_opaque_data_t bytes(uint8_t *data, uint32_t n)
{
    ach_opaque_data_t body = {.data_count = n, .data = data};

    return body;
}

static void command(ach_device_t *d, uint8_t what, uint8_t with)
{
    uint8_t data[2] = {what, with};
    ach_opaque_data_t body = bytes(data, 2);

    CHECK_OK(ach_device_command(d, ACH_OPAQUE_CMD_DATA, &body));
}

static uint8_t second_byte(const ach_message_t *m)
{
    const ach_opaque_data_t *body = ach_message_body(m);

    return body && body->data_count >= 2 ? body->data[1] : 255;
}

/* ach_device_get waits, up to its timeout, for data that is not published yet. */
static void waits_for_data(void)
{
    ach_device_t *d = open_device("opaque:0");
    ach_message_t *m;

    CHECK_STATUS(ach_device_get(d, ACH_SUBTYPE_ANY, 0, 0, &m), ACH_STALE_FRAMES);
    CHECK_STATUS(ach_device_get(d, ACH_SUBTYPE_ANY, 0.01, ACH_O_WAIT, &m), ACH_TIMEOUT);
    command(d, PROBE_ECHO, 7);
    REQUIRE_OK(ach_device_get(d, ACH_OPAQUE_DATA_STATE, RIG_PATIENCE, ACH_O_WAIT, &m));
    CHECK(second_byte(m) == 7);
    ach_message_unref(m);
    ach_device_close(d);
}

/* Messages are received in order; ACH_O_LAST receives the newest and drops the older ones. */
static void newest_or_next(void)
{
    ach_device_t *d = open_device("opaque:0");
    unsigned before = probe_counts[1].messages;
    ach_message_t *m;
    uint8_t i;

    for (i = 1; i <= 3; i++)
        command(d, PROBE_ECHO, i);
    for (i = 1; i <= 3; i++) {
        REQUIRE_OK(ach_device_get(d, ACH_OPAQUE_DATA_STATE, RIG_PATIENCE, ACH_O_WAIT, &m));
        CHECK(second_byte(m) == i);
        ach_message_unref(m);
    }
    for (i = 1; i <= 3; i++)
        command(d, PROBE_ECHO, i);
    EVENTUALLY(probe_counts[1].messages == before + 6);
    check_sleep_ms(100);
    CHECK_OK(ach_device_get(d, ACH_OPAQUE_DATA_STATE, RIG_PATIENCE, ACH_O_LAST | ACH_O_WAIT, &m));
    if (second_byte(m) != 3) { /* a slow machine: newer data is still in transit */
        ach_message_unref(m);
        check_sleep_ms(2000);
        REQUIRE_OK(
            ach_device_get(d, ACH_OPAQUE_DATA_STATE, RIG_PATIENCE, ACH_O_LAST | ACH_O_WAIT, &m));
    }
    CHECK(second_byte(m) == 3);
    ach_message_unref(m);
    CHECK_STATUS(ach_device_get(d, ACH_SUBTYPE_ANY, 0, 0, &m), ACH_STALE_FRAMES);
    ach_device_close(d);
}

/* The typed functions of an interface work, and refuse a device of another interface. */
static void typed(void)
{
    ach_device_t *d = open_device("opaque:0");
    uint8_t echo[] = {PROBE_ECHO, 5};
    const ach_opaque_data_t body = bytes(echo, 2), *got;
    const ach_laser_data_t *scan;
    ach_message_t *m;

    CHECK_OK(ach_opaque_tell_data(d, &body));
    REQUIRE_OK(ach_opaque_get_state(d, RIG_PATIENCE, ACH_O_WAIT, &m, &got));
    CHECK(got->data_count == 2 && got->data[1] == 5);
    ach_message_unref(m);
    CHECK_OK(ach_opaque_ask_data(d, &body, RIG_PATIENCE, NULL));
    CHECK_STATUS(ach_laser_get_scan(d, 0, 0, &m, &scan), ACH_EINVAL);
    CHECK_STATUS(ach_gripper_tell_open(d), ACH_EINVAL);
    ach_device_close(d);
}

static void asks(void)
{
    ach_device_t *d = open_device("opaque:0");
    uint8_t echo[] = {PROBE_ECHO, 42}, unknown[] = {PROBE_UNKNOWN}, keep[] = {PROBE_KEEP},
            forget[] = {PROBE_FORGET};
    ach_opaque_data_t body = bytes(echo, 2);
    ach_message_t *m;

    REQUIRE_OK(ach_device_request(d, ACH_OPAQUE_REQ_DATA, &body, RIG_PATIENCE, &m));
    CHECK(second_byte(m) == 42);
    ach_message_unref(m);
    body = bytes(unknown, 1);
    CHECK_STATUS(ach_device_request(d, ACH_OPAQUE_REQ_DATA, &body, RIG_PATIENCE, NULL),
                 ACH_ENOTSUP);
    body = bytes(forget, 1);
    CHECK_STATUS(ach_device_request(d, ACH_OPAQUE_REQ_DATA, &body, RIG_PATIENCE, NULL),
                 ACH_ENOTSUP);
    body = bytes(keep, 1);
    CHECK_STATUS(ach_device_request(d, ACH_OPAQUE_REQ_DATA, &body, 0.05, NULL), ACH_TIMEOUT);
    command(d, PROBE_ANSWER, 0);
    CHECK_STATUS(ach_device_request(d, 99, NULL, 0.05, NULL), ACH_EINVAL);
    /* The late answer must not be matched to the next request. */
    body = bytes(echo, 2);
    REQUIRE_OK(ach_device_request(d, ACH_OPAQUE_REQ_DATA, &body, RIG_PATIENCE, &m));
    CHECK(second_byte(m) == 42);
    ach_message_unref(m);
    ach_device_close(d);
}

/* A message too long for its channel is refused; the error says if it is a request or command. */
static void too_long(void)
{
    static uint8_t many[300000];
    ach_opaque_data_t body = bytes(many, sizeof(many));
    ach_device_t *d;

    if (strcmp(transport, "channel") != 0)
        return;
    d = open_device("opaque:0");
    CHECK_STATUS(ach_device_request(d, ACH_OPAQUE_REQ_DATA, &body, RIG_PATIENCE, NULL),
                 ACH_OVERFLOW);
    CHECK(strstr(ach_errstr(), "the request "));
    CHECK_STATUS(ach_device_command(d, ACH_OPAQUE_CMD_DATA, &body), ACH_OVERFLOW);
    CHECK(strstr(ach_errstr(), "the command "));
    ach_device_close(d);
}

/* Data that arrives during a request is not lost, and makes the descriptor readable. */
static void data_beside_answers(void)
{
    ach_device_t *d = open_device("opaque:0");
    uint8_t echo[] = {PROBE_ECHO, 1};
    const ach_opaque_data_t body = bytes(echo, 2);
    struct pollfd fd = {.fd = ach_device_fd(d), .events = POLLIN};
    ach_message_t *m;

    command(d, PROBE_ECHO, 9);
    EVENTUALLY(ach_device_request(d, ACH_OPAQUE_REQ_DATA, &body, RIG_PATIENCE, NULL) == ACH_OK);
    CHECK(poll(&fd, 1, (int)(RIG_PATIENCE * 1000)) == 1);
    REQUIRE_OK(ach_device_get(d, ACH_OPAQUE_DATA_STATE, RIG_PATIENCE, ACH_O_WAIT, &m));
    CHECK(second_byte(m) == 9);
    ach_message_unref(m);
    CHECK_STATUS(ach_device_get(d, ACH_SUBTYPE_ANY, 0, 0, &m), ACH_STALE_FRAMES);
    CHECK(poll(&fd, 1, 0) == 0);
    ach_device_close(d);
}

static void count_call(void *context, ach_device_t *device, const ach_message_t *message)
{
    (void)device;
    *(unsigned *)context += ach_message_is(message, NULL, ACH_MSG_DATA, ACH_OPAQUE_DATA_STATE);
}

static void calls_back(void)
{
    ach_device_t *d = open_device("opaque:0");
    unsigned calls = 0;

    CHECK_STATUS(ach_device_dispatch(d, 0, count_call, &calls), ACH_STALE_FRAMES);
    command(d, PROBE_COUNT, 0);
    while (calls + ach_device_lost(d) < 100 &&
           ach_device_dispatch(d, RIG_PATIENCE, count_call, &calls) == ACH_OK)
        ;
    CHECK(calls + ach_device_lost(d) == 100 && calls > 0);
    ach_device_close(d);
}

static void is_refused(void)
{
    ach_device_t *d = NULL;
    ach_status_t status = try_open("opaque:1", &d);

    CHECK(status != ACH_OK && status != ACH_TIMEOUT && !d);
    CHECK(strlen(ach_errstr()) > 0);
    status = try_open("opaque:7", &d);
    CHECK(status != ACH_OK && status != ACH_TIMEOUT && !d);
}

/* The driver is set up by the first client, and shut down after the last, also if it is killed. */
static void client_is_killed(void)
{
    unsigned shutdowns;
    ach_device_t *d;
    pid_t child;
    int tell[2];
    char byte;

    if (strcmp(transport, "inproc") == 0)
        return;
    EVENTUALLY(probe_counts[1].setups == probe_counts[1].shutdowns);
    shutdowns = probe_counts[1].shutdowns;
    REQUIRE(pipe(tell) == 0);
    child = fork();
    if (child == 0) {
        if (try_open("opaque:0", &d) == ACH_OK && write(tell[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    close(tell[1]);
    REQUIRE(read(tell[0], &byte, 1) == 1);
    close(tell[0]);
    CHECK(probe_counts[1].setups == shutdowns + 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    EVENTUALLY(probe_counts[1].shutdowns == shutdowns + 1);
}

/* In a child of fork. True: the device of the parent behaves as documented. */
static bool behaves_in_child(ach_device_t *d)
{
    bool inherited = strcmp(transport, "channel") == 0, good;
    uint8_t data[2] = {PROBE_FORGET, 0};
    ach_opaque_data_t body = bytes(data, 2);
    ach_device_t *own;

    good = ach_device_command(d, ACH_OPAQUE_CMD_DATA, &body) == (inherited ? ACH_OK : ACH_CLOSED);
    good &= ach_device_close(d) == ACH_OK;
    if (good && strcmp(transport, "tcp") == 0)
        good = try_open("opaque:0", &own) == ACH_OK && ach_device_close(own) == ACH_OK;
    return good;
}

/* A child of fork that closes the device does not disturb its parent. */
static void child_closes(void)
{
    ach_device_t *d = open_device("opaque:0");
    int status = -1;
    pid_t child;

    command(d, PROBE_FORGET, 0);
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    child = fork();
    if (child == 0)
        _exit(behaves_in_child(d) ? 0 : 1);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    command(d, PROBE_FORGET, 0);
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    CHECK_OK(ach_device_close(d));
}

static void lists(void)
{
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = RIG_PATIENCE};
    ach_device_info_t devices[4];
    size_t n = 0;

    if (strcmp(transport, "channel") == 0)
        return;
    if (strcmp(transport, "inproc") == 0)
        attr.robot = rig_robot(rig);
    REQUIRE_OK(ach_device_list(port, &attr, devices, 4, &n));
    CHECK(n == 2 && devices[1].address.interf == ACH_OPAQUE_CODE && devices[1].address.index == 1);
    CHECK(strcmp(devices[0].driver, "probe") == 0);
}

/* A program can read a device's data by ach_open and ach_get alone. */
static void plain_channel(void)
{
    ach_device_t *d;
    ach_channel_t chan;
    unsigned char frame[256];
    ach_opaque_data_t *body;
    ach_header_t h;
    uint32_t size;
    size_t n;
    struct timespec patience = {(time_t)RIG_PATIENCE, 0};
    void *decoded;

    transport = "channel";
    d = open_device("opaque:0");
    REQUIRE_OK(ach_open(&chan, "dev.6665.opaque.0.data", NULL));
    ach_flush(&chan);
    command(d, PROBE_ECHO, 77);
    REQUIRE_OK(ach_get(&chan, frame, sizeof(frame), &n, &patience,
                       ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME));
    REQUIRE_OK(ach_frame_read(frame, &h, &size));
    CHECK(h.address.interf == ACH_OPAQUE_CODE && h.type == ACH_MSG_DATA && size == n - 40);
    REQUIRE_OK(ach_decode_new(&ach_opaque_data_type, frame + ACH_FRAME_HEADER, size, &decoded));
    body = decoded;
    CHECK(body->data_count == 2 && body->data[1] == 77);
    free(decoded);
    ach_close(&chan);
    ach_device_close(d);
}

/* Garbage in the channels of commands and requests is ignored and does no harm. */
static void hostile_channels(void)
{
    static const char *const names[] = {"dev.6665.opaque.0.cmd", "dev.6665.req"};
    unsigned char junk[200];
    ach_channel_t chan;
    unsigned i, k;

    transport = "channel";
    srand(1);
    for (i = 0; i < 2; i++) {
        REQUIRE_OK(ach_open(&chan, names[i], NULL));
        for (k = 0; k < 500; k++) {
            size_t n = 1 + (size_t)rand() % sizeof(junk), b;

            for (b = 0; b < n; b++)
                junk[b] = (unsigned char)(rand() % 4 ? 0 : rand());
            CHECK_OK(ach_put(&chan, junk, n));
        }
        ach_close(&chan);
    }
    waits_for_data();
}

/* A waiting client gets ACH_CLOSED when the server ends. */
static void server_ends(void)
{
    ach_device_t *d;
    ach_message_t *m;

    if (strcmp(transport, "inproc") == 0)
        return;
    d = open_device("opaque:0");
    end();
    CHECK_STATUS(ach_device_get(d, ACH_SUBTYPE_ANY, RIG_PATIENCE, ACH_O_WAIT, &m), ACH_CLOSED);
    ach_device_close(d);
    start();
}

int main(void)
{
    static const char *const transports[] = {"inproc", "channel", "tcp"};
    unsigned i;

    start();
    for (i = 0; i < 3; i++) {
        transport = transports[i];
        waits_for_data();
        newest_or_next();
        asks();
        too_long();
        typed();
        data_beside_answers();
        calls_back();
        is_refused();
        client_is_killed();
        child_closes();
        lists();
        server_ends();
    }
    plain_channel();
    hostile_channels();
    end();
    return check_result();
}
