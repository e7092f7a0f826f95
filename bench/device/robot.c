/* SPDX-License-Identifier: BSD-3-Clause */
#include <ach.h>
#include <ach/interface/position2d.h>
#include <ach/tcp.h>
#include <string.h>
#include <unistd.h>

#include "../../tests/device/tcp/atlas.h"

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

struct robot *robot_start(double rate)
{
    struct robot *r = shared_alloc(sizeof(*r));

    r->rate = rate;
    r->pid = peer_start(serve, r);
    return r;
}
