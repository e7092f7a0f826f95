/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve.c - a server with the drivers of the tests
 *
 * serve CONFIG_TEXT [NUMBER]
 *
 * Prints "port N" once it listens, and exits at the end of its standard input.
 * Exit status 2: it cannot start.
 */
#include <ach.h>
#include <ach/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers.h"

static void await_end(void)
{
    char c;

    while (read(0, &c, 1) > 0)
        ;
}

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ach_errstr());
    return 2;
}

int main(int argc, char **argv)
{
    ach_robot_attr_t attr = {.size = sizeof(attr), .level = ACH_LOG_INFO};
    ach_config_t *config;
    ach_robot_t *robot;
    void *server;

    if (argc < 2)
        return 2;
    attr.robot = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    ach_transport_add(&ach_transport_tcp);
    ach_transport_add(&ach_transport_tls);
    if (ach_config_parse(argv[1], strlen(argv[1]), "test", &config) != ACH_OK ||
        ach_robot_create(&attr, &robot) != ACH_OK)
        return fail("config");
    add_drivers(robot);
    if (ach_robot_load_config(robot, config) != ACH_OK || ach_robot_start(robot) != ACH_OK)
        return fail("robot");
    if (ach_transport_tcp.serve(robot, ach_section_next(ach_config_root(config), "tcp", NULL),
                                &server) != ACH_OK)
        return fail("server");
    printf("port %u\n", ach_tcp_port(server));
    fflush(stdout);
    await_end();
    ach_transport_tcp.end(server);
    ach_robot_destroy(robot);
    ach_config_destroy(config);
    return 0;
}
