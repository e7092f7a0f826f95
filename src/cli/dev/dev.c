/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dev - inspect and use devices */
#include "dev.h"

#include <string.h>

#include "suggest.h"

static const struct verb *const tools[] = {&dev_ls,  &dev_find, &dev_print,   &dev_cmd,
                                           &dev_req, &dev_prop, &dev_messages};

#define TOOLS (sizeof(tools) / sizeof(tools[0]))

/* The name without the prefix "dev ". */
static const char *tool_name(const struct verb *tool)
{
    return tool->name + strlen("dev ");
}

static const struct verb *tool_find(const char *name)
{
    size_t i;

    for (i = 0; i < TOOLS; i++)
        if (strcmp(tool_name(tools[i]), name) == 0)
            return tools[i];
    return NULL;
}

static const char *suggest_tool(const char *name)
{
    struct nearest n = nearest_to(name);
    size_t i;

    for (i = 0; i < TOOLS; i++)
        nearest_offer(&n, tool_name(tools[i]));
    return suggest(&n);
}

static int dev_overview(void)
{
    size_t i;

    puts("Usage: ach dev TOOL [ARGUMENT ...]\n\n"
         "Look at devices and use them.\n\nTools:");
    for (i = 0; i < TOOLS; i++)
        printf("  %-8s %s\n", tool_name(tools[i]), tools[i]->summary);
    puts("\nach dev TOOL --help prints more.\n\n"
         "Examples:\n"
         "  ach dev ls\n"
         "  ach dev print laser:0\n"
         "  ach dev cmd position2d:0 vel vel.px=0.2 state=1\n");
    return EXIT_OK;
}

static int dev_run(int argc, char **argv)
{
    const struct verb *tool;

    if (argc < 2)
        return usage("say which tool: ls, find, print, cmd, req, prop or messages");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return dev_overview();
    tool = tool_find(argv[1]);
    if (!tool)
        return usage("there is no tool '%s'%s", argv[1], suggest_tool(argv[1]));
    return verb_run(tool, argc - 1, argv + 1);
}

const struct verb verb_dev = {
    .name = "dev",
    .summary = "look at devices and use them",
    .help = NULL,
    .run = dev_run,
};
