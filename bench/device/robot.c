/* SPDX-License-Identifier: BSD-3-Clause */
#include <ach.h>
#include <ach/interface/position2d.h>
#include <ach/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

static _Noreturn void serve(double rate, int tell, int stop)
{
    ach_config_t *config = configure(rate);
    ach_robot_t *robot;
    void *server;
    uint16_t port;
    char end;

    MUST_ACH(ach_robot_create(NULL, &robot));
    MUST_ACH(ach_robot_add_class(robot, &ticker));
    MUST_ACH(ach_robot_add_class(robot, &atlas_class));
    MUST_ACH(ach_robot_load_config(robot, config));
    MUST_ACH(ach_robot_start(robot));
    MUST_ACH(ach_transport_tcp.serve(robot, ach_section_next(ach_config_root(config), "tcp", NULL),
                                     &server));
    port = ach_tcp_port(server);
    MUST_SYS(write(tell, &port, sizeof(port)) == (ssize_t)sizeof(port));
    while (read(stop, &end, 1) > 0)
        ;
    ach_transport_tcp.end(server);
    ach_robot_destroy(robot);
    ach_config_destroy(config);
    exit(0);
}

struct robot robot_start(double rate)
{
    int tell[2], stop[2];
    struct robot r;

    MUST_SYS(pipe(tell) == 0 && pipe(stop) == 0);
    r.pid = fork();
    if (r.pid == 0) {
        close(stop[1]);
        serve(rate, tell[1], stop[0]);
    }
    close(tell[1]);
    close(stop[0]);
    r.stop = stop[1];
    MUST_SYS(r.pid >= 0 && read(tell[0], &r.port, sizeof(r.port)) == (ssize_t)sizeof(r.port));
    close(tell[0]);
    return r;
}

void robot_end(struct robot *r)
{
    close(r->stop);
    waitpid(r->pid, NULL, 0);
}
