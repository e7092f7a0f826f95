/* SPDX-License-Identifier: BSD-3-Clause */
/* no_devices.c - the verbs for devices, in a build without them */
#include "cli.h"
#include "decode.h"

static int no_devices_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    complain("this ach was built without devices");
    return EXIT_FAILED;
}

bool decode_print(const char *channel, const void *data, size_t size)
{
    (void)channel;
    (void)data;
    (void)size;
    return false;
}

bool decode_json(const char *channel, const void *data, size_t size, struct json *j)
{
    (void)channel;
    (void)data;
    (void)size;
    (void)j;
    return false;
}

const struct verb verb_serve = {.name = "serve", .run = no_devices_run};
const struct verb verb_dev = {.name = "dev", .run = no_devices_run};
const struct verb verb_sim = {.name = "sim", .run = no_devices_run};
