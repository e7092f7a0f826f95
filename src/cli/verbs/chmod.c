/* SPDX-License-Identifier: BSD-3-Clause */
/* ach chmod - change the permissions of channels */
#include "cli.h"
#include "parse.h"

static int change(const char *name, enum ach_map map, mode_t mode)
{
    ach_channel_t chan;
    enum ach_status r;

    if (!open_channel_in(&chan, name, false, map))
        return EXIT_FAILED;
    r = ach_chmod(&chan, mode);
    if (r != ACH_OK)
        complain("%s: %s", name, ach_errstr());
    ach_close(&chan);
    return r == ACH_OK ? EXIT_OK : EXIT_FAILED;
}

static int chmod_run(int argc, char **argv)
{
    enum ach_map map;
    int status = EXIT_OK;
    mode_t mode;

    if (!parse_place(argc, argv, &map))
        return EXIT_USAGE;
    if (argc - optind < 2)
        return usage("give a mode and a channel");
    if (!parse_mode(argv[optind], &mode)) {
        bad_value("the mode", argv[optind], "octal digits up to 777, for example 660");
        return EXIT_USAGE;
    }
    while (++optind < argc) {
        if (change(argv[optind], map, mode) != EXIT_OK)
            status = EXIT_FAILED;
    }
    return status;
}

const struct verb verb_chmod = {
    .name = "chmod",
    .summary = "change who may use channels",
    .help = "Usage: ach chmod MODE CHANNEL ...\n\n"
            "Change the permissions of channels. Read permission is enough to get messages; to\n"
            "put, write permission is also needed. If MODE lets some users read but not write,\n"
            "puts wake such readers from then on.\n\n"
            "Options:\n"
            "  -u, --user    only in shared memory\n"
            "  -k, --kernel  only in the kernel module\n"
            "  -h, --help    print this help\n\n"
            "Examples:\n"
            "  ach chmod 644 imu             everybody may read, the owner may put\n"
            "  ach chmod 660 state command   only owner and group\n",
    .run = chmod_run,
};
