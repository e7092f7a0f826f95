/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dev - inspect and use devices */
#include "dev.h"

#include "../toolset.h"

static const struct verb *const dev_tools[] = {&dev_ls,  &dev_find, &dev_print,    &dev_cmd,
                                               &dev_req, &dev_prop, &dev_messages, NULL};

static int dev_run(int argc, char **argv)
{
    static const struct toolset tools = {
        .name = "dev",
        .tools = dev_tools,
        .about = "Look at devices and use them.\n",
        .examples = "  ach dev ls\n"
                    "  ach dev print laser:0\n"
                    "  ach dev cmd position2d:0 vel vel.px=0.2 state=1\n",
    };

    return toolset_run(&tools, argc, argv);
}

const struct verb verb_dev = {
    .name = "dev",
    .summary = "look at devices and use them",
    .help = NULL,
    .run = dev_run,
};
