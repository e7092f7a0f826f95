/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c - the driver classes of a robot; and loading of plug-ins */
#include <ach.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "plugin_path.h"

const ach_driver_class_t *dev_class_find(const ach_robot_t *robot, const char *name)
{
    const struct dev_class *c = robot->classes;

    while (c && strcmp(c->class->name, name) != 0)
        c = c->next;
    return c ? c->class : NULL;
}

void dev_classes_destroy(ach_robot_t *robot)
{
    while (robot->classes) {
        struct dev_class *c = robot->classes;

        robot->classes = c->next;
        free(c);
    }
}

static ach_status_t registry_check(const ach_driver_class_t *c)
{
    if (c->version != ACH_DRIVER_VERSION)
        return ach_errstr_set(ACH_BAD_HEADER,
                              "a driver is built for version %u of driver.h; this is version %u",
                              c->version, ACH_DRIVER_VERSION);
    if (!c->name || !*c->name || strlen(c->name) >= 64 || !c->create ||
        c->flags & ~(ACH_DRIVER_TRANSPARENT | ACH_DRIVER_INLINE))
        return ach_errstr_set(ACH_BAD_HEADER,
                              "a driver has no valid name, no create function or unknown flags");
    if (c->flags & ACH_DRIVER_INLINE && c->main)
        return ach_errstr_set(ACH_BAD_HEADER,
                              "driver %s is inline and must not have a main function", c->name);
    return ACH_OK;
}

ach_status_t ach_robot_add_class(ach_robot_t *robot, const ach_driver_class_t *driver)
{
    ach_status_t status = registry_check(driver);
    struct dev_class *c;

    if (status != ACH_OK)
        return status;
    if (dev_class_find(robot, driver->name) == driver)
        return ACH_OK;
    if (dev_class_find(robot, driver->name))
        return ach_errstr_set(ACH_EEXIST, "there are two drivers called %s", driver->name);
    c = malloc(sizeof(*c));
    if (!c)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    c->class = driver;
    c->next = robot->classes;
    robot->classes = c;
    return ACH_OK;
}

/* @adopted: a driver whose name is taken is left out; its library knows it by another name, too. */
static ach_status_t add_drivers(ach_robot_t *robot, const char *path, const ach_plugin_t *p,
                                bool adopted)
{
    uint32_t i;

    if (p->version != ACH_DRIVER_VERSION)
        return ach_errstr_set(ACH_BAD_HEADER,
                              "%s is built for version %u of driver.h; this is version %u", path,
                              p->version, ACH_DRIVER_VERSION);
    for (i = 0; i < p->count; i++) {
        ach_status_t status = ach_robot_add_class(robot, p->drivers[i]);

        if (status == ACH_EEXIST && adopted)
            ach_robot_log(robot, ACH_LOG_WARNING, "%s: %s; that of the plug-in is left out", path,
                          ach_errstr());
        else if (status != ACH_OK)
            return ach_errstr_set(status, "%s: %s", path, ach_errstr());
    }
    return ACH_OK;
}

/* The drivers of a plug-in that is not made for driver.h, by the library that it is linked with. */
static const ach_plugin_t *registry_adopt(void *lib, const char *path)
{
    ach_plugin_adopt_t *adopt;

    *(void **)&adopt = dlsym(lib, "ach_plugin_adopt");
    ach_errstr_set(ACH_OK, "%s", "");
    return adopt ? adopt(lib, path) : NULL;
}

static ach_status_t add_transports(const char *path, const ach_transport_plugin_t *p)
{
    uint32_t i;

    if (p->version != ACH_TRANSPORT_VERSION)
        return ach_errstr_set(ACH_BAD_HEADER,
                              "%s is built for version %u of transport.h; this is version %u", path,
                              p->version, ACH_TRANSPORT_VERSION);
    for (i = 0; i < p->count; i++) {
        ach_status_t status = ach_transport_add(p->transports[i]);

        if (status != ACH_OK)
            return ach_errstr_set(status, "%s: %s", path, ach_errstr());
    }
    return ACH_OK;
}

/* Stays loaded: its tables are used to the process's end. */
static ach_status_t registry_load(const char *name, char *file, size_t size, void **lib)
{
    ach_status_t status = dev_plugin_path(name, file, size);

    if (status != ACH_OK)
        return status;
    *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return *lib ? ACH_OK : ach_errstr_set(ACH_BAD_HEADER, "%s", dlerror());
}

ach_status_t ach_robot_add_plugin(ach_robot_t *robot, const char *path)
{
    const ach_transport_plugin_t *transports;
    const ach_plugin_t *drivers;
    bool adopted = false;
    char file[4096];
    void *lib;
    ach_status_t status = registry_load(path, file, sizeof(file), &lib);

    if (status != ACH_OK)
        return status;
    drivers = dlsym(lib, "ach_plugin");
    transports = dlsym(lib, "ach_transport_plugin");
    if (!drivers && !transports) {
        drivers = registry_adopt(lib, file);
        adopted = drivers;
        if (!drivers && *ach_errstr())
            return ACH_BAD_HEADER;
    }
    if (!drivers && !transports)
        return ach_errstr_set(ACH_BAD_HEADER,
                              "%s is no plug-in: it has neither drivers nor transports", file);
    if (drivers)
        status = add_drivers(robot, file, drivers, adopted);
    return status == ACH_OK && transports ? add_transports(file, transports) : status;
}

ach_status_t ach_transport_add_plugin(const char *path)
{
    const ach_transport_plugin_t *transports;
    char file[4096];
    void *lib;
    ach_status_t status = registry_load(path, file, sizeof(file), &lib);

    if (status != ACH_OK)
        return status;
    transports = dlsym(lib, "ach_transport_plugin");
    return transports ? add_transports(file, transports)
                      : ach_errstr_set(ACH_BAD_HEADER, "%s has no transports", file);
}
