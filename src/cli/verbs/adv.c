/* SPDX-License-Identifier: BSD-3-Clause */
/* ach adv, ach hide - which channels achd tells the network about */
#include "advertised.h"
#include "cli.h"

/* Ach 2 advertised a port with each channel. Here achd advertises the port at which it serves. */
static bool adv_parse(int argc, char **argv)
{
    static const struct option longs[] = {{"port", required_argument, NULL, 'p'}, {0}};
    int c;

    while ((c = getopt_long(argc, argv, "p:", longs, NULL)) != -1)
        if (c != 'p') {
            usage_hint();
            return false;
        }
    if (optind < argc)
        return true;
    usage("name a channel");
    return false;
}

static int adv_each(int argc, char **argv, enum ach_status (*change)(const char *name))
{
    int status = EXIT_OK;

    if (!adv_parse(argc, argv))
        return EXIT_USAGE;
    for (; optind < argc; optind++) {
        enum ach_status r = change(argv[optind]);

        if (r == ACH_ENOENT && change == advertised_set)
            complain_absent(argv[optind]);
        else if (r != ACH_OK)
            fail_errstr();
        if (r != ACH_OK)
            status = EXIT_FAILED;
    }
    return status;
}

static int adv_run(int argc, char **argv)
{
    return adv_each(argc, argv, advertised_set);
}

static int hide_run(int argc, char **argv)
{
    return adv_each(argc, argv, advertised_clear);
}

const struct verb verb_adv = {
    .name = "adv",
    .aliases = {"advertise"},
    .summary = "advertise channels in the network",
    .help = "Usage: ach adv CHANNEL ...\n\n"
            "Let achd advertise channels of this machine in the network, until 'ach hide' or\n"
            "'ach rm'. An achd must serve at an address that others reach, and avahi-daemon must\n"
            "run. Who may read the channel is not changed.\n\n"
            "Options:\n"
            "  -p, --port PORT  accepted for Ach 2: achd advertises the port where it serves\n"
            "  -h, --help       print this help\n\n"
            "Examples:\n"
            "  ach adv imu odometry\n",
    .run = adv_run,
};

const struct verb verb_hide = {
    .name = "hide",
    .summary = "stop advertising channels",
    .help = "Usage: ach hide CHANNEL ...\n\n"
            "Take back what 'ach adv' or 'ach mk -a' did.\n\n"
            "Options:\n"
            "  -p, --port PORT  accepted for Ach 2\n"
            "  -h, --help       print this help\n\n"
            "Examples:\n"
            "  ach hide imu\n",
    .run = hide_run,
};
