/* SPDX-License-Identifier: BSD-3-Clause */
/* ach doctor - check the system and the channels for problems */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Take the directory from the path of any channel. */
static bool find_directory(struct report *r)
{
    if (ach_channel_path("x", r->dir, sizeof(r->dir)) != ACH_OK) {
        fail_errstr();
        return false;
    }
    *strrchr(r->dir, '/') = '\0';
    return true;
}

static int examine(struct report *r, bool json)
{
    int status;

    if (!find_directory(r))
        return EXIT_FAILED;
    if (check_directory(r)) {
        check_files(r);
        check_servers(r);
    }
    check_limits(r);
    check_realtime(r);
    check_kernel(r);
    check_logind(r);
    if (json)
        report_print_json(r);
    else
        report_print(r);
    status = report_well(r) ? EXIT_OK : EXIT_FAILED;
    free(r->findings);
    return status;
}

static int doctor_run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"repair", no_argument, NULL, 'r'},
        {"json", no_argument, NULL, 'j'},
        {"root", required_argument, NULL, 'R'},
        {0},
    };
    struct report r = {.root = ""};
    bool json = false;
    int c;

    while ((c = getopt_long(argc, argv, "rj", longs, NULL)) != -1) {
        if (c == '?')
            return usage_hint();
        if (c == 'R')
            r.root = optarg;
        r.repair |= c == 'r';
        json |= c == 'j';
    }
    if (optind < argc)
        return usage("unexpected argument '%s': only options are accepted", argv[optind]);
    return examine(&r, json);
}

const struct verb verb_doctor = {
    .name = "doctor",
    .summary = "check the system and the channels",
    .help =
        "Usage: ach doctor [OPTION ...]\n\n"
        "Check what channels depend on: their directory and its space, files that are not\n"
        "channels or were left behind, channels of servers and simulations that were killed,\n"
        "resource limits, real-time scheduling, the kernel and its module, and logind's removal\n"
        "of shared memory.\n"
        "Each warning says what to do. Exit status 0: all is well; 1: there are warnings or\n"
        "problems.\n\n"
        "Options:\n"
        "  -r, --repair    remove temporary files whose creator is dead, and files that have\n"
        "                  a channel's name but are not usable channels, unless a\n"
        "                  process has them open\n"
        "      --root DIR  look for configuration files beneath DIR\n"
        "  -j, --json      as JSON\n"
        "  -h, --help      print this help\n\n"
        "Examples:\n"
        "  ach doctor\n"
        "  ach doctor --repair\n"
        "  ach doctor --json | jq '.findings[] | select(.level == \"warning\")'\n",
    .run = doctor_run,
};
