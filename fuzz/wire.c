/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wire.c - any bytes on a connection
 *
 * From a client: the server answers with messages that are sound, or hangs up, and
 * keeps nothing of a client that is gone. From a server: messages are read, or
 * the bytes are refused.
 */
#include "property.h"

#include <ach/interface/position2d.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../src/device/tcp/map.h"
#include "../src/device/tcp/session.h"
#include "../src/device/tcp/wire.h"

static struct tcp_server server;
static struct tcp_listener listener;

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_address_t address;

    (void)options;
    *state = NULL;
    while (ach_driver_provide_next(driver, NULL, &address) == ACH_OK)
        ;
    return ach_driver_property_int(driver, "answer", 42);
}

/* Commands come back as data, requests with their own body. */
static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    ach_message_t *ack;

    (void)state;
    if (h.type == ACH_MSG_CMD)
        return ach_driver_forward(driver, &h.address, m);
    h.type = ACH_MSG_ACK;
    if (ach_message_again(m, &h, &ack) == ACH_OK) {
        ach_driver_relay(driver, m, ack);
        ach_message_unref(ack);
    }
    return ACH_OK;
}

static ach_status_t fail(ach_driver_t *driver, void *state)
{
    (void)driver;
    (void)state;
    return ACH_ENOENT;
}

static const ach_driver_class_t echo = {
    .version = ACH_DRIVER_VERSION, .name = "echo", .create = create, .process = process};
static const ach_driver_class_t broken = {
    .version = ACH_DRIVER_VERSION, .name = "broken", .create = create, .setup = fail};

static void no_log(void *context, enum ach_log level, const char *line)
{
    (void)context;
    (void)level;
    (void)line;
}

static const char robot_file[] = "driver ( name \"echo\" alwayson 1 provides [\"position2d:0\" "
                                 "\"map:0\" \"laser:0\" \"opaque:0\"] )\n"
                                 "driver ( name \"broken\" provides [\"position2d:5\"] )\n";

static bool pack(void *context)
{
    return tcp_session_pack(context);
}

/* A server without a socket, and a loop without a thread: turned by hand. */
static void set_up(void)
{
    ach_robot_attr_t attr = {.size = sizeof(attr), .log = no_log};
    ach_config_t *config;

    if (server.robot)
        return;
    HOLDS(ach_config_parse(robot_file, sizeof(robot_file) - 1, "fuzz", &config) == ACH_OK);
    HOLDS(ach_robot_create(&attr, &server.robot) == ACH_OK);
    HOLDS(ach_robot_add_class(server.robot, &echo) == ACH_OK);
    HOLDS(ach_robot_add_class(server.robot, &broken) == ACH_OK);
    HOLDS(ach_robot_load_config(server.robot, config) == ACH_OK);
    HOLDS(ach_robot_start(server.robot) == ACH_OK);
    HOLDS(tcp_options_read(&server.options, NULL, 6665, NULL, NULL) == ACH_OK);
    server.options.client_memory = 1 << 20; /* so that limits are met */
    server.options.memory = 4 << 20;
    HOLDS(ach_budget_create((size_t)server.options.memory, &server.budget) == ACH_OK);
    HOLDS(tcp_loop_create(&server.loop) == ACH_OK);
    server.loop->work = pack;
    server.loop->context = &server;
    server.last_stranger = &server.strangers;
    server.spare = -1;
    server.listeners = &listener;
    listener.server = &server;
    listener.peer.loop = server.loop;
    listener.port = 6665;
}

static void check_message(const ach_header_t *h, const unsigned char *body, size_t size)
{
    HOLDS(h->type == ACH_MSG_DATA || h->type == ACH_MSG_ACK || h->type == ACH_MSG_NACK ||
          h->type == ACH_MSG_SYNCH);
    HOLDS(h->type == ACH_MSG_SYNCH || h->address.robot == 6665);
    HOLDS(h->type != ACH_MSG_SYNCH || (h->sequence == 0 && h->timestamp == 0));
    (void)body;
    (void)size;
}

/* What the server said so far. */
static void listen_to(int fd, struct tcp_input *in)
{
    static unsigned char buffer[65536];
    const unsigned char *body;
    ach_header_t h;
    size_t size;
    ssize_t n;

    while ((n = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0) {
        HOLDS(tcp_input_feed(in, buffer, (size_t)n) == ACH_OK);
        while (tcp_input_next(in, &h, &body, &size) == ACH_OK)
            check_message(&h, body, size);
        HOLDS(tcp_input_keep(in) == ACH_OK);
    }
}

static void as_client(struct property_input *in)
{
    struct tcp_input from_server;
    char greeting[TCP_GREETING_SIZE];
    int ends[2], i;

    set_up();
    HOLDS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    HOLDS(tcp_session_create(&listener, ends[0]) == ACH_OK);
    HOLDS(recv(ends[1], greeting, sizeof(greeting), 0) == (ssize_t)sizeof(greeting));
    tcp_input_init(&from_server, ACH_BODY_MAX);
    while (in->at < in->end) {
        size_t n = 1 + property_number(in, 1) % 128;

        if (n > (size_t)(in->end - in->at))
            n = (size_t)(in->end - in->at);
        if (send(ends[1], in->at, n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            break;
        in->at += n;
        tcp_loop_turn(server.loop, 0);
        listen_to(ends[1], &from_server);
    }
    close(ends[1]);
    for (i = 0; i < 100 && server.clients; i++)
        tcp_loop_turn(server.loop, 10);
    HOLDS(server.clients == 0 && !server.strangers && !server.maps && !server.packing.map);
    for (i = 0; i < 100 && ach_budget_left(server.budget) < (size_t)server.options.memory; i++)
        usleep(1000); /* a driver may still have one of its messages */
    HOLDS(ach_budget_left(server.budget) == (size_t)server.options.memory);
    tcp_input_finish(&from_server);
}

/* However large the slices are, the same cells come out again. */
static void pack_in_slices(const ach_header_t *h, ach_message_t *m)
{
    struct tcp_packing packing;
    ach_message_t *packed, *again;
    size_t size, before, after;
    const void *bytes, *first, *second;

    tcp_map_begin(&packing, ach_message_ref(m));
    while (!(packed = tcp_map_slice(&packing, 1 + (size_t)h->sequence % 100)))
        ;
    bytes = ach_message_bytes(packed, &size);
    HOLDS(size == 0 || tcp_map_unpack(h, bytes, size, &again) == ACH_OK);
    if (size) {
        first = ach_message_bytes(m, &before);
        second = ach_message_bytes(again, &after);
        HOLDS(before == after && memcmp(first, second, before) == 0);
        ach_message_unref(again);
    }
    ach_message_unref(packed);
    ach_message_unref(m);
}

static void take(const ach_header_t *h, const unsigned char *body, size_t size)
{
    ach_message_t *m;
    char text[64];

    tcp_wire_text(body, size, text, sizeof(text));
    if (tcp_map_is(h) && tcp_map_unpack(h, body, size, &m) == ACH_OK) {
        HOLDS(ach_message_check(m) == ACH_OK);
        pack_in_slices(h, m);
    }
}

static void as_server(struct property_input *in)
{
    ach_status_t status = ACH_EAGAIN;
    const unsigned char *body;
    struct tcp_input input;
    ach_header_t h;
    size_t size;

    tcp_input_init(&input, 4096);
    while (in->at < in->end && status == ACH_EAGAIN) {
        size_t n = 1 + property_number(in, 1);

        if (n > (size_t)(in->end - in->at))
            n = (size_t)(in->end - in->at);
        HOLDS(tcp_input_feed(&input, in->at, n) == ACH_OK);
        while ((status = tcp_input_next(&input, &h, &body, &size)) == ACH_OK)
            take(&h, body, size);
        HOLDS(tcp_input_keep(&input) == ACH_OK);
        in->at += n;
    }
    tcp_input_finish(&input);
}

void property_wire(const uint8_t *data, size_t size)
{
    struct property_input in = {data, data + size};

    if (property_byte(&in) % 4)
        as_client(&in);
    else
        as_server(&in);
}
