/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach view - channels, devices and recordings in a browser
 *
 * A separate program, ach-view, is the server, because it needs libwebsockets. This verb finds and
 * execs it.
 */
#include "cli.h"
#include "libexec.h"

static const struct libexec_program view_program = {.name = "ach-view",
                                                    .build = "/../view",
#ifdef ACH_HAS_VIEW
                                                    .built = true
#endif
};

static int view_run(int argc, char **argv)
{
    char dir[PATH_MAX];

    (void)argc;
    if (libexec_find(&view_program, dir))
        return libexec_exec(&view_program, dir, argv);
    complain("this build has no ach-view: install the package libwebsockets-dev and build again");
    return EXIT_FAILED;
}

const struct verb verb_view = {
    .name = "view",
    .summary = "show channels, devices and recordings in a browser",
    .help =
        "Usage: ach view [OPTION ...] [PATTERN ... | FILE.mcap]\n\n"
        "Serve a page that shows the channels and devices of this machine, or those that match a\n"
        "PATTERN, or a recording: lists, messages, plots, images, and the robot. Print its "
        "address,\n"
        "which contains a secret: whoever knows it sees what you see. Foxglove and other programs\n"
        "with its WebSocket protocol connect to the second address.\n\n"
        "Only this machine can connect, and only programs of yours and of root. From elsewhere, "
        "use\n"
        "a tunnel: ssh -L 8765:localhost:8765 robot\n\n"
        "Options:\n"
        "  -p, --port N           the port (8765); 0: any that is free\n"
        "      --write PATTERN    clients may put messages into these channels\n"
        "      --drive            the page may drive bases and move joints\n"
        "      --origin ORIGIN    pages of this origin may connect, too, as\n"
        "                         https://app.foxglove.dev\n"
        "      --host NAME        this machine is also reached by this name\n"
        "      --bind ADDRESS     listen at this address of this machine, instead of loopback\n"
        "      --insecure-network allow --bind beyond loopback, without any encryption\n"
        "      --clients N        clients at most (64)\n"
        "      --queue BYTES      data that waits for a slow client at most (8M)\n"
        "  -h, --help             print this help\n\n"
        "Examples:\n"
        "  ach view\n"
        "  ach view --drive\n"
        "  ach view 'arm-*' imu\n"
        "  ach view --write cmd_vel --origin https://app.foxglove.dev\n"
        "  ach view drive.mcap\n",
    .run = view_run,
};
