/* SPDX-License-Identifier: BSD-3-Clause */
#include <ach.h>
#include <ach/interface/position2d.h>
#include <ach/message.h>
#include <ach/tcp.h>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../../tests/device/tcp/atlas.h"
#include "monotonic.h"

#include "device.h"

struct ticker {
    ach_address_t address;
    double rate;
};

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    static struct ticker t;

    t.rate = ach_section_double(options, "rate", 100);
    *state = &t;
    return ach_driver_provide(driver, ACH_POSITION2D_CODE, NULL, &t.address);
}

static void run(ach_driver_t *driver, void *state)
{
    struct ticker *t = state;
    double next = ach_driver_time(driver), count = 0;

    while (ach_driver_wait_until(driver, next += 1 / t->rate)) {
        ach_position2d_data_t data = {.pos = {.px = ++count}};

        ach_driver_publish(driver, &t->address, ACH_POSITION2D_DATA_STATE, &data);
    }
}

static const ach_driver_class_t ticker = {
    .version = ACH_DRIVER_VERSION, .name = "ticker", .create = create, .main = run};

static ach_config_t *configure(double rate)
{
    ach_config_t *config;
    char text[200];

    snprintf(text, sizeof(text),
             "driver ( name \"ticker\" provides [\"position2d:0\"] rate %g )\n"
             "driver ( name \"atlas\" provides [\"map:0\"] side 2048 )\ntcp ( port 0 )\n",
             rate);
    MUST_ACH(ach_config_parse(text, strlen(text), "bench", &config));
    return config;
}

/* In a process of its own, until it is killed. */
static void serve(void *arg)
{
    struct robot *r = arg;
    ach_config_t *config = configure(r->rate);
    ach_robot_t *robot;
    void *server;

    machine_unpin();
    MUST_ACH(ach_robot_create(NULL, &robot));
    MUST_ACH(ach_robot_add_class(robot, &ticker));
    MUST_ACH(ach_robot_add_class(robot, &atlas_class));
    MUST_ACH(ach_robot_load_config(robot, config));
    MUST_ACH(ach_robot_start(robot));
    MUST_ACH(ach_transport_tcp.serve(robot, ach_section_next(ach_config_root(config), "tcp", NULL),
                                     &server));
    r->port = ach_tcp_port(server);
    peer_ready();
    for (;;)
        pause();
}

static int raw_accept(int listener)
{
    static const char greeting[GREETING];
    int fd = accept(listener, NULL, NULL), on = 1;

    MUST_SYS(fd >= 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    MUST_SYS(send(fd, greeting, sizeof(greeting), MSG_NOSIGNAL) == sizeof(greeting));
    return fd;
}

/* The frame of message n, as the device publishes it. */
static size_t raw_frame(uint64_t n, unsigned char *bytes, size_t room)
{
    const ach_position2d_data_t data = {.pos = {.px = (double)n}};
    ach_header_t h = {.address = {.interf = ACH_POSITION2D_CODE},
                      .type = ACH_MSG_DATA,
                      .subtype = ACH_POSITION2D_DATA_STATE};
    ach_message_t *m;
    struct timespec t;
    const void *body;
    size_t size;

    clock_gettime(CLOCK_REALTIME, &t);
    h.timestamp = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    MUST_ACH(ach_message_create(&h, &data, &m));
    body = ach_message_bytes(m, &size);
    MUST(ACH_FRAME_HEADER + size <= room);
    ach_frame_write(&h, (uint32_t)size, bytes);
    memcpy(bytes + ACH_FRAME_HEADER, body, size);
    ach_message_unref(m);
    return ACH_FRAME_HEADER + size;
}

static void raw_send(const struct robot *r, const int *fd)
{
    unsigned char bytes[512];
    double next = monotonic_seconds();
    uint64_t n;
    unsigned i;

    for (n = 1;; n++) {
        struct timespec at;
        size_t size;

        next += 1 / r->rate;
        at.tv_sec = (time_t)next;
        at.tv_nsec = (long)((next - (double)at.tv_sec) * 1e9);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        size = raw_frame(n, bytes, sizeof(bytes));
        for (i = 0; i < r->clients; i++)
            send(fd[i], bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

/* In a process of its own, until it is killed. */
static void serve_raw(void *arg)
{
    struct robot *r = arg;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *at = (struct sockaddr *)(void *)&a;
    socklen_t size = sizeof(a);
    int listener = socket(AF_INET, SOCK_STREAM, 0), *fd = calloc(r->clients, sizeof(*fd));
    unsigned i;

    machine_unpin();
    MUST_SYS(fd && listener >= 0 && bind(listener, at, size) == 0 && listen(listener, 64) == 0 &&
             getsockname(listener, at, &size) == 0);
    r->port = ntohs(a.sin_port);
    peer_ready();
    for (i = 0; i < r->clients; i++)
        fd[i] = raw_accept(listener);
    raw_send(r, fd);
}

static struct robot *start(void (*run_it)(void *), double rate, unsigned clients)
{
    struct robot *r = shared_alloc(sizeof(*r));

    r->rate = rate;
    r->clients = clients;
    r->pid = peer_start(run_it, r);
    return r;
}

struct robot *robot_start(double rate)
{
    return start(serve, rate, 0);
}

struct robot *robot_start_raw(double rate, unsigned clients)
{
    return start(serve_raw, rate, clients);
}
