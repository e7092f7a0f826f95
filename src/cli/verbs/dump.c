/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dump - print a channel's internal state */
#include "cli.h"

static int dump_run(int argc, char **argv)
{
    enum ach_map map;
    ach_channel_t chan;
    const char *name;

    if (!parse_place(argc, argv, &map))
        return EXIT_USAGE;
    name = one_channel(argc, argv);
    if (!name)
        return EXIT_USAGE;
    if (!open_channel_in(&chan, name, true, map))
        return EXIT_FAILED;
    ach_dump(chan.shm);
    ach_close(&chan);
    return EXIT_OK;
}

const struct verb verb_dump = {
    .name = "dump",
    .summary = "print the internal state of a channel, for debugging",
    .help = "Usage: ach dump CHANNEL\n\n"
            "Print the internal state of a channel to standard error, for debugging. The text may\n"
            "change with every release; scripts should use 'ach info --json' instead.\n\n"
            "Options:\n"
            "  -u, --user    only in shared memory\n"
            "  -k, --kernel  only in the kernel module\n"
            "  -h, --help    print this help\n\n"
            "Examples:\n"
            "  ach dump imu\n",
    .run = dump_run,
};
