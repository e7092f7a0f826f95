/* SPDX-License-Identifier: BSD-3-Clause */
/* ach file - print the path of a channel */
#include <sys/stat.h>

#include "cli.h"
#include "describe.h"

/* The path of the device if it exists or -k was given; else of the file, which need not exist. */
static bool find_path(const char *name, enum ach_map map, char path[PATH_MAX])
{
    struct stat st;

    if (map == ACH_MAP_DEFAULT && channel_path(name, ACH_MAP_KERNEL, path) && lstat(path, &st) == 0)
        return true;
    return channel_path(name, map, path);
}

static int file_run(int argc, char **argv)
{
    enum ach_map map;
    char path[PATH_MAX];
    int status = EXIT_OK;

    if (!parse_place(argc, argv, &map))
        return EXIT_USAGE;
    if (optind == argc)
        return usage("name a channel");
    for (; optind < argc; optind++) {
        if (!place_exists(argv[optind], map))
            status = EXIT_FAILED;
        else if (find_path(argv[optind], map, path))
            puts(path);
        else
            status = fail_errstr();
    }
    return status;
}

const struct verb verb_file = {
    .name = "file",
    .summary = "print the path of a channel's file",
    .help = "Usage: ach file CHANNEL ...\n\n"
            "Print the path of each channel's file, whether or not it exists, or of its device if\n"
            "it is in the kernel.\n\n"
            "Options:\n"
            "  -u, --user    only in shared memory\n"
            "  -k, --kernel  only in the kernel module\n"
            "  -h, --help    print this help\n\n"
            "Examples:\n"
            "  ach file imu\n"
            "  chgrp robot \"$(ach file imu)\"\n",
    .run = file_run,
};
