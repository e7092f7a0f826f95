/* SPDX-License-Identifier: BSD-3-Clause */
/* no_devices.c - the verbs for devices, in a build without them */
#include "cli.h"
#include "device_frame.h"
#include "nested.h"

static int no_devices_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    complain("this ach was built without devices");
    return EXIT_FAILED;
}

bool device_channel(const char *name)
{
    (void)name;
    return false;
}

const char *device_interface(const char *channel)
{
    (void)channel;
    return NULL;
}

bool device_show(const char *channel)
{
    (void)channel;
    return false;
}

bool device_decode(const void *data, size_t size, struct decoded *out)
{
    (void)data;
    (void)size;
    (void)out;
    return false;
}

bool device_definition(const char *name, char **type, char **text)
{
    (void)name;
    (void)type;
    (void)text;
    complain("this ach was built without devices");
    return false;
}

bool nested_add(const struct type_words *words, ach_channel_type_t *type)
{
    (void)words;
    (void)type;
    return true;
}

const struct verb verb_gen = {.name = "gen", .run = no_devices_run};
const struct verb verb_serve = {.name = "serve", .run = no_devices_run};
const struct verb verb_dev = {.name = "dev", .run = no_devices_run};
const struct verb verb_sim = {.name = "sim", .run = no_devices_run};
