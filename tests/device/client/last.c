/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * last.c - a command arrives although the device is closed at once, or the caller gets an error,
 * also if the driver's queue is full, is slow, or does not support the command;
 * answers with sequence 0, as from the reference server's drivers, are matched to their requests
 */
#include <ach/channel.h>
#include <ach/device.h>
#include <ach/interface/common.h>
#include <ach/proxies.h>
#include <ach/tcp.h>
#include <math.h>
#include <signal.h>

#include "probe.h"
#include "reference.h"
#include "rig.h"

static ach_device_t *open_at(uint16_t port, const char *device)
{
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = RIG_PATIENCE};
    char address[64];
    ach_device_t *d;

    snprintf(address, sizeof(address), "127.0.0.1:%u:%s", port, device);
    REQUIRE_OK(ach_device_open(address, &attr, &d));
    return d;
}

static ach_status_t command(ach_device_t *d, uint32_t size)
{
    uint8_t data[1000] = {PROBE_ECHO};

    return ach_device_command(d, ACH_OPAQUE_CMD_DATA,
                              &(ach_opaque_data_t){.data_count = size, .data = data});
}

/* A robot and the server through which clients reach it. */
struct served {
    struct rig *rig;
    void *server;
};

/* port: 0: any that is free. */
static void serve_rig(struct served *s, const ach_transport_class_t *transport, uint16_t port)
{
    char options[40];
    ach_config_t *parsed;

    snprintf(options, sizeof(options), "tcp ( port %u )", port);
    REQUIRE_OK(ach_config_parse(options, strlen(options), "tcp", &parsed));
    REQUIRE_OK(transport->serve(rig_robot(s->rig),
                                transport == &ach_transport_tcp
                                    ? ach_section_next(ach_config_root(parsed), "tcp", NULL)
                                    : NULL,
                                &s->server));
    ach_config_destroy(parsed);
}

static struct served serve(const char *config, const ach_transport_class_t *transport)
{
    struct served s = {.rig = probe_start(config)};

    serve_rig(&s, transport, 0);
    return s;
}

static void command_and_close(void)
{
    struct served s = serve("driver (name \"probe\" provides [\"opaque:0\"])", &ach_transport_tcp);
    unsigned i, n = (unsigned)check_scale(1000);

    for (i = 0; i < n; i++) {
        ach_device_t *d = open_at(ach_tcp_port(s.server), "opaque:0");

        CHECK_OK(command(d, 8));
        CHECK_OK(ach_device_close(d));
    }
    ach_transport_tcp.end(s.server);
    rig_end(s.rig);
    CHECK(probe_counts[0].messages == n);
}

static ach_status_t tell(ach_device_t *d, uint8_t what)
{
    return ach_device_command(d, ACH_OPAQUE_CMD_DATA,
                              &(ach_opaque_data_t){.data_count = 1, .data = &what});
}

static ach_device_t *open_served(const struct served *s, const ach_transport_class_t *transport)
{
    ach_device_attr_t attr = {
        .size = sizeof(attr), .timeout = RIG_PATIENCE, .transport = "channel"};
    ach_device_t *d;

    if (transport == &ach_transport_tcp)
        return open_at(ach_tcp_port(s->server), "opaque:0");
    REQUIRE_OK(ach_device_open("opaque:0", &attr, &d));
    return d;
}

static ach_device_t *open_inside(const struct served *s)
{
    ach_device_attr_t attr = {.size = sizeof(attr), .robot = rig_robot(s->rig)};
    ach_device_t *d;

    REQUIRE_OK(ach_device_open("opaque:0", &attr, &d));
    return d;
}

/* Have the driver wait until `held` is cleared. */
static void hold(ach_device_t *d)
{
    CHECK_OK(tell(d, PROBE_HOLD));
    EVENTUALLY(probe_counts[0].held);
}

/* Wait until the server has refused 4 commands of a handle that has sent no others. */
static void await_refusals(const struct served *s, const ach_transport_class_t *transport,
                           ach_device_t *d)
{
    const ach_boolprop_t alwayson = {.key_count = 9, .key = "alwayson"};

    if (transport == &ach_transport_channel)
        CHECK(rig_logged(s->rig, "4 commands through the channel of opaque:0 are refused"));
    else /* the server answers this itself, after the commands */
        CHECK_OK(ach_device_request(d, ACH_REQ_GET_BOOLPROP, &alwayson, RIG_PATIENCE, NULL));
}

/* The driver's queue is full. The handle whose commands are refused gets their number, once. */
static void queue_is_full(const ach_transport_class_t *transport)
{
    struct served s = serve("driver (name \"probe\" provides [\"opaque:0\"])", transport);
    ach_device_t *d = open_served(&s, transport), *other = open_inside(&s);
    unsigned i;

    hold(other);
    for (i = 0; i < ACH_QUEUE_MESSAGES; i++)
        CHECK_OK(tell(other, PROBE_FORGET));
    for (i = 0; i < 4; i++)
        CHECK_OK(tell(d, PROBE_FORGET));
    await_refusals(&s, transport, d);
    probe_counts[0].held = false;
    CHECK_STATUS(ach_device_flush(d, RIG_PATIENCE), ACH_ENOTSUP);
    CHECK(strstr(ach_errstr(), "4 commands were not handled"));
    CHECK(strstr(ach_errstr(), "the queue of opaque:0 is full"));
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    CHECK_OK(ach_device_flush(other, RIG_PATIENCE));
    CHECK_OK(ach_device_close(d));
    CHECK_OK(ach_device_close(other));
    transport->end(s.server);
    rig_end(s.rig);
}

/* The driver is given a command that it does not support: flush reports that, once. */
static void not_supported(ach_device_t *d)
{
    unsigned i;

    for (i = 0; i < 100; i++) {
        CHECK_OK(tell(d, PROBE_UNKNOWN));
        CHECK_STATUS(ach_device_flush(d, RIG_PATIENCE), ACH_ENOTSUP);
        CHECK(strstr(ach_errstr(), "1 command was not handled: driver probe does not support it"));
    }
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    CHECK_OK(tell(d, PROBE_UNKNOWN));
    CHECK_STATUS(ach_device_close(d), ACH_ENOTSUP);
}

static void driver_refuses(const ach_transport_class_t *transport)
{
    struct served s = serve("driver (name \"probe\" provides [\"opaque:0\"])", transport);

    not_supported(open_served(&s, transport));
    not_supported(open_inside(&s));
    transport->end(s.server);
    rig_end(s.rig);
}

/* A flush ends when the driver has handled the commands, and not before. */
static void flush_waits(ach_device_t *d)
{
    unsigned before;

    hold(d);
    before = probe_counts[0].messages;
    CHECK_OK(tell(d, PROBE_FORGET));
    CHECK_OK(tell(d, PROBE_UNKNOWN));
    CHECK_STATUS(ach_device_flush(d, 0.05), ACH_TIMEOUT);
    probe_counts[0].held = false;
    CHECK_STATUS(ach_device_flush(d, RIG_PATIENCE), ACH_ENOTSUP);
    CHECK(strstr(ach_errstr(), "1 command was not handled"));
    CHECK(probe_counts[0].messages == before + 2);
    CHECK_OK(ach_device_close(d));
}

static void driver_is_slow(const ach_transport_class_t *transport)
{
    struct served s = serve("driver (name \"probe\" provides [\"opaque:0\"])", transport);

    flush_waits(open_served(&s, transport));
    flush_waits(open_inside(&s));
    transport->end(s.server);
    rig_end(s.rig);
}

/* The last client closes the device before its driver, which then stops, has done everything. */
static void close_waits(const ach_transport_class_t *transport)
{
    struct served s = serve("driver (name \"probe\" provides [\"opaque:0\"])", transport);
    ach_device_t *d = open_served(&s, transport);
    ach_status_t status;
    unsigned i;

    for (i = 0; i < 10; i++)
        CHECK_OK(tell(d, PROBE_STALL));
    status = ach_device_close(d); /* a busy machine may be slower than the limit */
    CHECK(status == ACH_TIMEOUT || (status == ACH_OK && probe_counts[0].messages == 10));
    d = open_served(&s, transport);
    hold(d);
    CHECK_STATUS(ach_device_close(d), ACH_TIMEOUT);
    probe_counts[0].held = false;
    transport->end(s.server);
    rig_end(s.rig);
}

/* A flush waits for all devices that a command was sent to. */
static void split_and_flushed(void)
{
    struct served s = {.rig =
                           probe_start("driver (name \"cmdsplitter\" provides [\"opaque:0\"]\n"
                                       "        requires [\"opaque:1\" \"opaque:2\"])\n"
                                       "driver (name \"probe\" provides [\"opaque:1\"])\n"
                                       "driver (name \"probe\" number 1 provides [\"opaque:2\"])")};
    ach_device_t *d = open_inside(&s);

    hold(d);
    EVENTUALLY(probe_counts[1].held);
    probe_counts[0].held = false;
    CHECK_STATUS(ach_device_flush(d, 0.1), ACH_TIMEOUT);
    probe_counts[1].held = false;
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    CHECK_OK(ach_device_close(d));
    rig_end(s.rig);
}

/* A driver that hangs, and flushes that nobody waits for, do not fill the server's table. */
static void many_flushes(void)
{
    struct served s = serve("driver (name \"probe\" provides [\"opaque:0\"])\n"
                            "driver (name \"probe\" number 1 provides [\"opaque:1\"])",
                            &ach_transport_channel);
    ach_device_attr_t attr = {
        .size = sizeof(attr), .timeout = RIG_PATIENCE, .transport = "channel"};
    ach_device_t *d = open_served(&s, &ach_transport_channel), *other;
    unsigned i;

    REQUIRE_OK(ach_device_open("opaque:1", &attr, &other));
    hold(d);
    for (i = 0; i < 1100; i++)
        CHECK_STATUS(ach_device_flush(d, 0.0005), ACH_TIMEOUT);
    CHECK_OK(tell(other, PROBE_FORGET));
    CHECK_OK(ach_device_flush(other, RIG_PATIENCE));
    probe_counts[0].held = false;
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    CHECK_OK(ach_device_close(d));
    CHECK_OK(ach_device_close(other));
    ach_transport_channel.end(s.server);
    rig_end(s.rig);
}

/* The body of a flush is ignored. The server reads commands, larger and larger, before it. */
static void flush_with_a_body(const ach_transport_class_t *transport)
{
    struct served s = serve("driver (name \"probe\" provides [\"opaque:0\"])", transport);
    ach_flush_t body = {.unhandled = 7, .why_count = 64};
    char why[64] = "nonsense";
    ach_device_t *d = open_served(&s, transport);
    unsigned i;

    body.why = why;
    for (i = 1; i <= 200; i++) {
        CHECK_OK(command(d, i * 5));
        CHECK_OK(ach_device_request(d, ACH_REQ_FLUSH, &body, RIG_PATIENCE, NULL));
        CHECK(probe_counts[0].messages == i);
    }
    CHECK_OK(ach_device_close(d));
    transport->end(s.server);
    rig_end(s.rig);
}

/* A child of fork is a client of its own: it is told of its commands, and its parent is not. */
static void forked(void)
{
    struct served s =
        serve("driver (name \"probe\" provides [\"opaque:0\"])", &ach_transport_channel);
    ach_device_t *d = open_served(&s, &ach_transport_channel);
    int status;
    pid_t pid;

    CHECK_OK(tell(d, PROBE_FORGET));
    pid = fork();
    if (pid == 0) {
        bool fine = ach_device_flush(d, 0) == ACH_OK && tell(d, PROBE_UNKNOWN) == ACH_OK &&
                    ach_device_flush(d, RIG_PATIENCE) == ACH_ENOTSUP &&
                    tell(d, PROBE_UNKNOWN) == ACH_OK && ach_device_close(d) == ACH_ENOTSUP;

        _exit(!fine);
    }
    REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
    CHECK_OK(tell(d, PROBE_FORGET));
    CHECK_OK(ach_device_close(d));
    ach_transport_channel.end(s.server);
    rig_end(s.rig);
}

/* The driver that does not support a command is behind a passthrough. */
static void passed_on_and_refused(void)
{
    struct served s = {.rig = probe_start("driver (name \"passthrough\" provides [\"opaque:0\"]\n"
                                          "        requires [\"opaque:1\"])\n"
                                          "driver (name \"probe\" provides [\"opaque:1\"])")};

    not_supported(open_inside(&s));
    rig_end(s.rig);
}

/* The driver is in another server, behind a passthrough. */
static void flush_waits_for_another_server(void)
{
    struct served far =
                      serve("driver (name \"probe\" provides [\"opaque:0\"])", &ach_transport_tcp),
                  near;
    char config[200];
    const uint16_t port = ach_tcp_port(far.server);
    ach_status_t status;
    unsigned before, setups, i;
    ach_device_t *d;

    snprintf(config, sizeof(config),
             "driver (name \"passthrough\" provides [\"opaque:0\"]\n"
             "        requires [\"127.0.0.1:%u:opaque:0\"])",
             port);
    ach_transport_add(&ach_transport_tcp);
    near = (struct served){.rig = rig_start(config)};
    d = open_inside(&near);
    hold(d);
    before = probe_counts[0].messages;
    CHECK_OK(tell(d, PROBE_FORGET));
    CHECK_STATUS(ach_device_flush(d, 0.05), ACH_TIMEOUT);
    probe_counts[0].held = false;
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    CHECK(probe_counts[0].messages == before + 1);
    for (i = 0; i < 100; i++) {
        CHECK_OK(tell(d, PROBE_UNKNOWN));
        CHECK_STATUS(ach_device_flush(d, RIG_PATIENCE), ACH_ENOTSUP);
        CHECK(strstr(ach_errstr(), "1 command was not handled: driver probe does not support it"));
    }
    CHECK_OK(tell(d, PROBE_FORGET));
    ach_transport_tcp.end(far.server);
    status = ach_device_flush(d, RIG_PATIENCE);
    CHECK(status == ACH_CLOSED || status == ACH_ENOTSUP); /* sent, or known to be lost */
    if (status == ACH_CLOSED)
        ach_device_flush(d, RIG_PATIENCE);

    /* It is not known what became of a command that was sent before the connection was lost. */
    setups = probe_counts[0].setups;
    serve_rig(&far, &ach_transport_tcp, port);
    EVENTUALLY(probe_counts[0].setups > setups);
    EVENTUALLY(tell(d, PROBE_FORGET) == ACH_OK && ach_device_flush(d, RIG_PATIENCE) == ACH_OK);
    hold(d);
    CHECK_OK(tell(d, PROBE_FORGET));
    EVENTUALLY(ach_device_flush(d, 0.01) == ACH_TIMEOUT);
    setups = probe_counts[0].setups;
    ach_transport_tcp.end(far.server);
    probe_counts[0].held = false;
    serve_rig(&far, &ach_transport_tcp, port);
    EVENTUALLY(probe_counts[0].setups > setups);
    CHECK(ach_device_flush(d, RIG_PATIENCE) != ACH_OK);
    CHECK(strstr(ach_errstr(), "the connection to its server was lost"));
    ach_device_close(d);
    rig_end(near.rig);
    ach_transport_tcp.end(far.server);
    rig_end(far.rig);
}

static void many_and_close(const struct reference_options *options)
{
    struct reference *r = reference_start(options);
    ach_device_t *d = open_at(reference_port(r), "opaque:0");
    ach_status_t status;
    unsigned i;

    for (i = 0; i < 50; i++)
        CHECK_OK(command(d, 1000));
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    CHECK(reference_commands(r) == 50);
    for (i = 0; i < 50; i++)
        CHECK_OK(command(d, 1000));
    status = ach_device_close(d); /* a busy machine may be slower than the limit */
    CHECK(status == ACH_OK || status == ACH_TIMEOUT);
    CHECK(status != ACH_OK || reference_commands(r) == 100);
    reference_end(r);
}

static void one_and_close(const struct reference_options *options)
{
    struct reference *r = reference_start(options);
    unsigned i, told = 0, n = (unsigned)check_scale(1000);

    for (i = 0; i < n; i++) {
        ach_device_t *d = open_at(reference_port(r), "opaque:0");

        CHECK_OK(command(d, 8));
        told += ach_device_close(d) != ACH_OK;
    }
    CHECK(reference_commands(r) + told >= n);
    reference_end(r);
}

/* The server reads nothing, although its kernel buffers bytes: flush and close time out. */
static void nobody_receives(void)
{
    struct reference *r = reference_start(&(struct reference_options){.deaf = true});
    ach_device_t *d = open_at(reference_port(r), "opaque:0");
    double begin;

    CHECK_OK(ach_device_flush(d, 0)); /* no command is pending */
    CHECK_OK(command(d, 8));
    CHECK_STATUS(ach_device_flush(d, 0.05), ACH_TIMEOUT);
    CHECK(strstr(ach_errstr(), "did not handle"));
    CHECK_STATUS(ach_device_flush(d, 0.05), ACH_TIMEOUT);
    CHECK_STATUS(ach_device_close(d), ACH_TIMEOUT);
    d = open_at(reference_port(r), "opaque:0");
    CHECK_OK(command(d, 8));
    begin = rig_now();
    CHECK_STATUS(ach_device_close(d), ACH_TIMEOUT);
    CHECK(rig_now() - begin >= 0.9 * ACH_DEVICE_CLOSE_SECONDS);
    CHECK(reference_commands(r) == 0);
    reference_end(r);
}

/* Start a process that serves on channels until it is killed. */
static pid_t start_killable(void)
{
    int tell[2];
    char byte;
    pid_t pid;

    REQUIRE(pipe(tell) == 0);
    pid = fork();
    if (pid == 0) {
        serve("driver (name \"probe\" provides [\"opaque:0\"])", &ach_transport_channel);
        if (write(tell[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    close(tell[1]);
    REQUIRE(pid > 0 && read(tell[0], &byte, 1) == 1);
    close(tell[0]);
    return pid;
}

/* After SIGKILL the server's channels remain, but no process reads commands from them. */
static void server_is_killed(void)
{
    static const char *const channels[] = {"dev.6665.req", "dev.6665.ans", "dev.6665.opaque.0.data",
                                           "dev.6665.opaque.0.cmd"};
    ach_device_attr_t attr = {
        .size = sizeof(attr), .timeout = RIG_PATIENCE, .transport = "channel"};
    pid_t pid = start_killable();
    ach_device_t *d;
    size_t i;

    REQUIRE_OK(ach_device_open("opaque:0", &attr, &d));
    CHECK_OK(command(d, 8));
    CHECK_OK(ach_device_flush(d, RIG_PATIENCE));
    CHECK_OK(command(d, 8));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    CHECK_STATUS(ach_device_flush(d, RIG_PATIENCE), ACH_CLOSED);
    CHECK_STATUS(command(d, 8), ACH_CLOSED);
    CHECK_STATUS(ach_device_close(d), ACH_CLOSED);
    for (i = 0; i < sizeof(channels) / sizeof(channels[0]); i++)
        CHECK_OK(ach_unlink(channels[i]));
}

static void server_hangs_up(void)
{
    struct reference *r = reference_start(&(struct reference_options){.rude = true});
    ach_device_t *d = open_at(reference_port(r), "opaque:0");

    if (command(d, 8) == ACH_OK)
        CHECK_STATUS(ach_device_close(d), ACH_CLOSED);
    else
        ach_device_close(d);
    CHECK(reference_commands(r) == 0);
    reference_end(r);
}

/* A driver that forwards a command to another server and is shut down at once loses none. */
static void pass_and_close(void)
{
    struct reference *r = reference_start(&(struct reference_options){0});
    unsigned i, n = (unsigned)check_scale(300);
    char config[200];
    struct served s;

    snprintf(config, sizeof(config),
             "driver (name \"passthrough\" provides [\"opaque:0\"]\n"
             "        requires [\"127.0.0.1:%u:opaque:0\"])",
             reference_port(r));
    ach_transport_add(&ach_transport_tcp);
    s = serve(config, &ach_transport_tcp);
    for (i = 0; i < n; i++) {
        ach_device_t *d = open_at(ach_tcp_port(s.server), "opaque:0");

        CHECK_OK(command(d, 8));
        CHECK_OK(ach_device_close(d));
    }
    ach_transport_tcp.end(s.server);
    rig_end(s.rig);
    CHECK(reference_commands(r) == n);
    reference_end(r);
}

/* The kp value in an answer. It equals that of its request, and so identifies the request. */
static float asked(const ach_message_t *m)
{
    size_t size;
    const unsigned char *b = ach_message_bytes(m, &size);
    uint32_t bits;
    float value;

    if (!b || size < 4)
        return NAN;
    bits = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static ach_status_t ask(ach_device_t *d, uint8_t subtype, float kp, double timeout, float *answer)
{
    const ach_position2d_speed_pid_req_t pid = {.kp = kp};
    ach_message_t *m = NULL;
    ach_status_t status = ach_device_request(d, subtype, &pid, timeout, &m);

    if (m)
        *answer = asked(m);
    ach_message_unref(m);
    return status;
}

static void answers_without_sequence(void)
{
    struct reference *r = reference_start(&(struct reference_options){0});
    ach_device_t *d = open_at(reference_port(r), "position2d:0");
    float got = 0;

    CHECK_OK(ask(d, ACH_POSITION2D_REQ_SPEED_PID, 1, RIG_PATIENCE, &got));
    CHECK(got == 1);
    CHECK_OK(ask(d, ACH_POSITION2D_REQ_POSITION_PID, 2, RIG_PATIENCE, &got));
    CHECK(got == 2);
    CHECK_OK(ach_device_close(d));
    reference_end(r);

    /* Three requests time out. Their late answers are not matched to the fourth request. */
    r = reference_start(&(struct reference_options){.hold = 4});
    d = open_at(reference_port(r), "position2d:0");
    CHECK_STATUS(ask(d, ACH_POSITION2D_REQ_SPEED_PID, 1, 0.02, &got), ACH_TIMEOUT);
    CHECK_STATUS(ask(d, ACH_POSITION2D_REQ_POSITION_PID, 2, 0.02, &got), ACH_TIMEOUT);
    CHECK_STATUS(ask(d, ACH_POSITION2D_REQ_SPEED_PID, 3, 0.02, &got), ACH_TIMEOUT);
    CHECK_OK(ask(d, ACH_POSITION2D_REQ_SPEED_PID, 4, RIG_PATIENCE, &got));
    CHECK(got == 4);
    CHECK_OK(ach_device_close(d));
    reference_end(r);
}

/* Requests of two subtypes are pending at once; those of one subtype are answered first. */
static void passes_answers_without_sequence(void)
{
    struct reference *r = reference_start(&(struct reference_options){.hold = 6});
    uint32_t sequences[6];
    char config[200];
    struct ear *ear;
    struct rig *rig;
    unsigned i, k;

    snprintf(config, sizeof(config),
             "driver (name \"passthrough\" provides [\"position2d:0\"]\n"
             "        requires [\"127.0.0.1:%u:position2d:0\"])",
             reference_port(r));
    ach_transport_add(&ach_transport_tcp);
    rig = rig_start(config);
    ear = ear_open(rig, "position2d:0");
    for (i = 0; i < 6; i++) {
        const ach_position2d_speed_pid_req_t pid = {.kp = (float)i};

        sequences[i] = ear_ask(
            ear, i % 3 ? ACH_POSITION2D_REQ_SPEED_PID : ACH_POSITION2D_REQ_POSITION_PID, &pid);
    }
    for (i = 0; i < 6; i++) {
        ach_message_t *m = ear_next(ear, RIG_PATIENCE);

        REQUIRE(m);
        for (k = 0; k < 6 && sequences[k] != ach_message_header(m)->sequence; k++)
            ;
        CHECK(ach_message_header(m)->type == ACH_MSG_ACK);
        CHECK(asked(m) == (float)k);
        ach_message_unref(m);
    }
    ear_close(ear);
    rig_end(rig);
    reference_end(r);
}

int main(void)
{
    const struct reference_options well = {0}, slow = {.slow = true};

    server_is_killed(); /* first: it forks, and the others leave threads */
    command_and_close();
    queue_is_full(&ach_transport_tcp);
    queue_is_full(&ach_transport_channel);
    driver_refuses(&ach_transport_tcp);
    driver_refuses(&ach_transport_channel);
    driver_is_slow(&ach_transport_tcp);
    driver_is_slow(&ach_transport_channel);
    close_waits(&ach_transport_tcp);
    close_waits(&ach_transport_channel);
    forked();
    split_and_flushed();
    many_flushes();
    flush_with_a_body(&ach_transport_tcp);
    flush_with_a_body(&ach_transport_channel);
    passed_on_and_refused();
    flush_waits_for_another_server();
    one_and_close(&well);
    one_and_close(&slow);
    many_and_close(&slow);
    nobody_receives();
    server_hangs_up();
    pass_and_close();
    answers_without_sequence();
    passes_answers_without_sequence();
    return check_result();
}
