/* SPDX-License-Identifier: BSD-3-Clause */
/* ach log - look at recordings and convert them */
#include "../log/recordings.h"
#include "../toolset.h"

static const struct verb *const log_tools[] = {
    &log_info_verb,   &log_cat_verb, &log_filter_verb, &log_merge_verb, &log_convert_verb,
    &log_repair_verb, NULL};

static int log_run(int argc, char **argv)
{
    static const struct toolset tools = {
        .name = "log",
        .tools = log_tools,
        .about = "Look at recordings, and convert them: files of MCAP, as ach record writes them, "
                 "logs of\n"
                 "achlog, and logs of devices.\n",
        .examples = "  ach log info drive.mcap\n"
                    "  ach log cat --topic imu --json drive.mcap\n"
                    "  ach log convert --topic imu -o imu.csv drive.mcap\n",
    };

    return toolset_run(&tools, argc, argv);
}

const struct verb verb_log = {
    .name = "log",
    .summary = "look at recordings, and convert them",
    .help = NULL,
    .run = log_run,
};
