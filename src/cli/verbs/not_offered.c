/* SPDX-License-Identifier: BSD-3-Clause */
/* search, adv, hide - verbs of Ach 2 that found channels on the network */
#include "cli.h"

static int refuse(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    complain("finding channels on the network is not offered by this release");
    return EXIT_FAILED;
}

#define ABSENT_HELP(verb)                                                                          \
    "Usage: ach " verb "\n\n"                                                                      \
    "Ach 2 found channels on the network with this verb. This release does not offer it, and\n"    \
    "answers with exit status 1.\n\n"                                                              \
    "Examples:\n"                                                                                  \
    "  ach ls        list the channels of this machine instead\n"

const struct verb verb_search = {.name = "search", .help = ABSENT_HELP("search"), .run = refuse};
const struct verb verb_adv = {.name = "adv", .help = ABSENT_HELP("adv"), .run = refuse};
const struct verb verb_hide = {.name = "hide", .help = ABSENT_HELP("hide"), .run = refuse};
