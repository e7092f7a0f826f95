/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - built-in engines, and those of plug-ins */
#include "engine.h"

#include <ach.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/core/plugin_path.h"

static const ach_physics_class_t *const built_in[] = {
    &phys_cartpole,
    &phys_pendulum,
};

static const ach_physics_class_t *pick(const ach_physics_class_t *const *engines, size_t n,
                                       const char *name)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (engines[i]->name && strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}

static bool complete(const ach_physics_class_t *e)
{
    return e->create && e->destroy && e->step && e->joints && e->joint_info && e->joint_get &&
           e->joint_drive && e->bodies && e->body_name && e->body_get;
}

static ach_status_t engine_check(const char *file, const ach_physics_class_t *e)
{
    if (e->version != ACH_PHYSICS_VERSION)
        return ach_errstr_set(
            ACH_BAD_HEADER,
            "%s: engine %s is built for version %u of physics.h; this is version %u", file, e->name,
            e->version, ACH_PHYSICS_VERSION);
    if (!complete(e))
        return ach_errstr_set(ACH_BAD_HEADER, "%s: engine %s lacks a function", file, e->name);
    return ACH_OK;
}

/* The plug-in stays loaded: its tables are used until the process ends. NULL: see ach_errstr. */
static const ach_physics_plugin_t *open_plugin(const char *file)
{
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const ach_physics_plugin_t *p = lib ? dlsym(lib, "ach_physics_plugin") : NULL;

    if (!lib) {
        ach_errstr_set(ACH_BAD_HEADER, "%s", dlerror());
        return NULL;
    }
    if (!p) {
        ach_errstr_set(ACH_BAD_HEADER, "%s is no plug-in with physics engines", file);
        return NULL;
    }
    if (p->version == ACH_PHYSICS_VERSION)
        return p;
    ach_errstr_set(ACH_BAD_HEADER, "%s is built for version %u of physics.h; this is version %u",
                   file, p->version, ACH_PHYSICS_VERSION);
    return NULL;
}

static ach_status_t from_plugin(const char *plugin, const char *name,
                                const ach_physics_class_t **engine)
{
    const ach_physics_plugin_t *p;
    char file[4096];
    ach_status_t status = dev_plugin_path(plugin, file, sizeof(file));

    if (status != ACH_OK)
        return status;
    p = open_plugin(file);
    if (!p)
        return ACH_BAD_HEADER;
    *engine = pick(p->engines, p->count, name);
    if (!*engine)
        return ach_errstr_set(ACH_ENOENT, "%s has no engine %s", file, name);
    return engine_check(file, *engine);
}

/* A path is relative to the config file; a name is searched for by dev_plugin_path. */
static const char *named_plugin(ach_section_t *s)
{
    const char *plugin = ach_section_string(s, "plugin", NULL);

    return plugin && strchr(plugin, '/') ? ach_section_path(s, "plugin", NULL) : plugin;
}

ach_status_t phys_engine_find(ach_section_t *section, const ach_physics_class_t **engine)
{
    const char *name = ach_section_string(section, "engine", NULL);
    const char *plugin = named_plugin(section);
    char usual[128];

    if (!name || !*name || strlen(name) > 64 || strchr(name, '/')) {
        ach_section_refuse(section, "engine", 0, "the name of a physics engine");
        return ach_errstr_set(ACH_EINVAL, "the section physics names no engine");
    }
    if (plugin)
        return from_plugin(plugin, name, engine);
    *engine = pick(built_in, sizeof(built_in) / sizeof(built_in[0]), name);
    if (*engine)
        return ACH_OK;
    snprintf(usual, sizeof(usual), "physics-%s", name);
    return from_plugin(usual, name, engine);
}
