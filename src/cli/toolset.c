/* SPDX-License-Identifier: BSD-3-Clause */
#include "toolset.h"

#include <string.h>

#include "suggest.h"

/* The name without that of the verb. */
static const char *toolset_name(const struct toolset *t, const struct verb *tool)
{
    return tool->name + strlen(t->name) + 1;
}

static const struct verb *toolset_find(const struct toolset *t, const char *name)
{
    size_t i;

    for (i = 0; t->tools[i]; i++)
        if (strcmp(toolset_name(t, t->tools[i]), name) == 0)
            return t->tools[i];
    return NULL;
}

static const char *toolset_suggest(const struct toolset *t, const char *name)
{
    struct nearest n = nearest_to(name);
    size_t i;

    for (i = 0; t->tools[i]; i++)
        nearest_offer(&n, toolset_name(t, t->tools[i]));
    return suggest(&n);
}

static int toolset_help(const struct toolset *t)
{
    size_t i;

    printf("Usage: ach %s TOOL [ARGUMENT ...]\n\n%s\nTools:\n", t->name, t->about);
    for (i = 0; t->tools[i]; i++)
        printf("  %-8s %s\n", toolset_name(t, t->tools[i]), t->tools[i]->summary);
    printf("\nach %s TOOL --help prints more.\n\nExamples:\n%s\n", t->name, t->examples);
    return EXIT_OK;
}

/* "say which tool: info, cat or repair" */
static int toolset_missing(const struct toolset *t)
{
    char names[256] = "";
    size_t i;

    for (i = 0; t->tools[i]; i++) {
        const char *before = !i ? "" : t->tools[i + 1] ? ", " : " or ";

        strncat(names, before, sizeof(names) - strlen(names) - 1);
        strncat(names, toolset_name(t, t->tools[i]), sizeof(names) - strlen(names) - 1);
    }
    return usage("say which tool: %s", names);
}

int toolset_run(const struct toolset *t, int argc, char **argv)
{
    const struct verb *tool;

    if (argc < 2)
        return toolset_missing(t);
    if (is_help(argv[1]))
        return toolset_help(t);
    tool = toolset_find(t, argv[1]);
    if (!tool)
        return usage("there is no tool '%s'%s", argv[1], toolset_suggest(t, argv[1]));
    return verb_run(tool, argc - 1, argv + 1);
}
