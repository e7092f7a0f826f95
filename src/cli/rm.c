/* SPDX-License-Identifier: BSD-3-Clause */
/* ach rm - remove channels */
#include "cli.h"

static bool remove_one(const char *name, bool force, bool verbose)
{
    enum ach_status r = ach_unlink(name);

    if (r == ACH_OK && verbose)
        printf("removed channel '%s'\n", name);
    if (r == ACH_OK || (force && r == ACH_ENOENT))
        return true;
    fail_errstr();
    return false;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"force", no_argument, NULL, 'f'},
        {"verbose", no_argument, NULL, 'v'},
        {"user", no_argument, NULL, 'u'},
        {"kernel", no_argument, NULL, 'k'},
        {0},
    };
    bool force = false, verbose = false;
    enum ach_map map = ACH_MAP_DEFAULT;
    int c, status = EXIT_OK;

    while ((c = getopt_long(argc, argv, "f1kuv", longs, NULL)) != -1) {
        if (c == '?')
            return usage_hint();
        force |= c == 'f' || c == '1';
        verbose |= c == 'v';
        if (c == 'k')
            map = ACH_MAP_KERNEL;
    }
    if (optind == argc)
        return usage("name a channel");
    for (; optind < argc; optind++) {
        if (!place_exists(argv[optind], map) || !remove_one(argv[optind], force, verbose))
            status = EXIT_FAILED;
    }
    return status;
}

const struct verb verb_rm = {
    .name = "rm",
    .aliases = {"unlink", "remove"},
    .summary = "remove channels",
    .help = "Usage: ach rm [OPTION ...] CHANNEL ...\n\n"
            "Remove channels. Programs that have them open can go on with each other, but\n"
            "nobody can open them any more.\n\n"
            "Options:\n"
            "  -f, --force    a channel that is not there is fine; also -1\n"
            "  -u, --user     in shared memory (default)\n"
            "  -k, --kernel   in the kernel module\n"
            "  -v, --verbose  say what was removed\n"
            "      --help     print this help\n\n"
            "Examples:\n"
            "  ach rm imu\n"
            "  ach rm --force state command\n",
    .run = run,
};
