/* SPDX-License-Identifier: BSD-3-Clause */
/* no_devices.c - the verbs for devices, in a build without them */
#include "cli.h"

static int run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    complain("this ach was built without devices");
    return EXIT_FAILED;
}

const struct verb verb_serve = {.name = "serve", .run = run};
const struct verb verb_dev = {.name = "dev", .run = run};
const struct verb verb_sim = {.name = "sim", .run = run};
