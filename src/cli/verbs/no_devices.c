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

void decoder_begin(struct decoder *d, const char *channel, const ach_channel_t *chan)
{
    (void)chan;
    *d = (struct decoder){.channel = channel};
}

void decoder_end(struct decoder *d)
{
    (void)d;
}

bool decode_print(const struct decoder *d, const void *data, size_t size)
{
    (void)d;
    (void)data;
    (void)size;
    return false;
}

bool decode_json(const struct decoder *d, const void *data, size_t size, struct json *j)
{
    (void)d;
    (void)data;
    (void)size;
    (void)j;
    return false;
}

const struct verb verb_pub = {.name = "pub", .run = no_devices_run};
const struct verb verb_serve = {.name = "serve", .run = no_devices_run};
const struct verb verb_dev = {.name = "dev", .run = no_devices_run};
const struct verb verb_sim = {.name = "sim", .run = no_devices_run};
