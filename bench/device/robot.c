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

static _Noreturn void give_up(const char *what)
{
    attempt_fail("%s: %s", what, ach_errstr());
}

static ach_config_t *configure(double rate)
{
    ach_config_t *config;
    char text[200];

    snprintf(text, sizeof(text),
             "driver ( name \"ticker\" provides [\"position2d:0\"] rate %g )\n"
             "driver ( name \"atlas\" provides [\"map:0\"] side 2048 )\ntcp ( port 0 )\n",
             rate);
    if (ach_config_parse(text, strlen(text), "bench", &config) != ACH_OK)
        give_up("config");
    return config;
}

static _Noreturn void serve(double rate, int tell, int stop)
{
    ach_config_t *config = configure(rate);
    ach_robot_t *robot;
    void *server;
    uint16_t port;
    char end;

    if (ach_robot_create(NULL, &robot) != ACH_OK || ach_robot_add_class(robot, &ticker) != ACH_OK ||
        ach_robot_add_class(robot, &atlas_class) != ACH_OK ||
        ach_robot_load_config(robot, config) != ACH_OK || ach_robot_start(robot) != ACH_OK)
        give_up("robot");
    if (ach_transport_tcp.serve(robot, ach_section_next(ach_config_root(config), "tcp", NULL),
                                &server) != ACH_OK)
        give_up("server");
    port = ach_tcp_port(server);
    if (write(tell, &port, sizeof(port)) != (ssize_t)sizeof(port))
        give_up("pipe");
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

    if (pipe(tell) != 0 || pipe(stop) != 0)
        give_up("pipe");
    r.pid = fork();
    if (r.pid == 0) {
        close(stop[1]);
        serve(rate, tell[1], stop[0]);
    }
    close(tell[1]);
    close(stop[0]);
    r.stop = stop[1];
    if (r.pid < 0 || read(tell[0], &r.port, sizeof(r.port)) != (ssize_t)sizeof(r.port))
        give_up("no server");
    close(tell[0]);
    return r;
}

void robot_end(struct robot *r)
{
    close(r->stop);
    waitpid(r->pid, NULL, 0);
}
