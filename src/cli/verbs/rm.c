/* SPDX-License-Identifier: BSD-3-Clause */
/* ach rm - remove channels */
#include <ach/kernel.h>
#include <unistd.h>

#include "advertised.h"
#include "cli.h"
#include "describe.h"
#include "nochannel.h"

static bool remove_one(const char *name, bool force, bool verbose)
{
    enum ach_status r = ach_unlink(name);
    char text[NO_CHANNEL_TEXT];

    if (r == ACH_OK)
        advertised_clear(name);
    if (r == ACH_OK && verbose)
        fprintf(stderr, "removed channel '%s'\n", name);
    if (r == ACH_OK || (force && r == ACH_ENOENT))
        return true;
    if (r == ACH_ENOENT)
        complain("%s", no_channel_to_remove(text, name));
    else
        fail_errstr();
    return false;
}

/* The kernel module is loaded, but has no channel of this name. */
static bool nowhere(const char *name, enum ach_map map)
{
    char path[PATH_MAX];

    return map == ACH_MAP_KERNEL && access(ACH_KERNEL_CONTROL, F_OK) == 0 &&
           channel_path(name, map, path) && access(path, F_OK) != 0;
}

static int rm_run(int argc, char **argv)
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
        if (c == 'k' || c == 'u')
            map = c == 'k' ? ACH_MAP_KERNEL : ACH_MAP_USER;
    }
    if (optind == argc)
        return usage("name a channel");
    for (; optind < argc; optind++) {
        if (force && nowhere(argv[optind], map))
            continue;
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
            "Remove channels. Programs that have them open can still use them with each other,\n"
            "but no program can open them any more.\n\n"
            "Options:\n"
            "  -f, --force    ignore channels that do not exist; also -1\n"
            "  -u, --user     only in shared memory\n"
            "  -k, --kernel   only in the kernel module\n"
            "  -v, --verbose  print what was removed\n"
            "  -h, --help     print this help\n\n"
            "Examples:\n"
            "  ach rm imu\n"
            "  ach rm --force state command\n",
    .run = rm_run,
};
