/* SPDX-License-Identifier: BSD-3-Clause */
/* load.c - a robot from its config file */
#include <ach.h>
#include <stdio.h>
#include <string.h>

#include "../../util/nearest.h"
#include "config/tree.h"
#include "core.h"

/* Log each line separately. */
static void log_lines(const ach_robot_t *robot, enum ach_log level, const char *lines)
{
    while (*lines) {
        size_t n = strcspn(lines, "\n");

        dev_log_always(robot, level, "%.*s", (int)n, lines);
        lines += n + (lines[n] == '\n');
    }
}

/* Log an error with the section's file and line. */
static ach_status_t load_wrong(const ach_robot_t *robot, const ach_section_t *s, const char *why)
{
    dev_log_always(robot, ACH_LOG_ERROR, "%s:%d: %s", ach_section_file(s), ach_section_line(s),
                   why);
    return ACH_EINVAL;
}

/*
 * The result of creating a driver. Errors in its options are among ach_config_errors; any other
 * error is logged here. @before: the number of config errors before the driver was created.
 */
static ach_status_t made(const ach_robot_t *robot, const ach_section_t *s, size_t before,
                         ach_status_t status)
{
    bool refused = s->config->complaints > before || ach_section_failed(s);

    if (status != ACH_OK && !refused)
        load_wrong(robot, s, *ach_errstr() ? ach_errstr() : "the driver cannot be created");
    return status == ACH_OK && !refused ? ACH_OK : ACH_EINVAL;
}

static ach_status_t load_plugin(ach_robot_t *robot, ach_section_t *s, size_t i)
{
    const char *name = ach_section_tuple_string(s, "plugin", i, NULL);

    if (!name)
        return ACH_EINVAL;
    if (strchr(name, '/'))
        name = ach_section_tuple_path(s, "plugin", i, NULL);
    return ach_robot_add_plugin(robot, name) == ACH_OK ? ACH_OK
                                                       : load_wrong(robot, s, ach_errstr());
}

static ach_status_t load_plugins(ach_robot_t *robot, ach_section_t *s)
{
    size_t i, n = ach_section_tuple_count(s, "plugin");
    ach_status_t status = ACH_OK;

    for (i = 0; i < n; i++)
        if (load_plugin(robot, s, i) != ACH_OK)
            status = ACH_EINVAL;
    return status;
}

static ach_status_t no_class(const ach_robot_t *robot, ach_section_t *s, const char *name)
{
    struct nearest n = nearest_to(name);
    const struct dev_class *c;
    char expected[160];

    for (c = robot->classes; c; c = c->next)
        nearest_offer(&n, c->class->name);
    snprintf(expected, sizeof(expected),
             "the name of a driver that is built in or in a plug-in%s%s%s", n.best ? "; was '" : "",
             n.best ? n.best : "", n.best ? "' meant?" : "");
    ach_section_refuse(s, "name", 0, expected);
    return ACH_EINVAL;
}

/* The driver's process loads the plug-ins, and checks whether the driver exists. */
static ach_status_t make_process(ach_robot_t *robot, ach_section_t *s, const char *name)
{
    ach_driver_class_t *class = dev_process_class(name);
    ach_driver_t *d = NULL;
    size_t before = s->config->complaints;
    ach_status_t status = ACH_FAILED_SYSCALL;

    ach_errstr_set(ACH_OK, "%s", "");
    if (class)
        status = dev_driver_create(robot, class, s, &d);
    if (d) {
        d->own_class = class;
        d->alwayson = ach_section_bool(s, "alwayson", false);
    }
    return made(robot, s, before, status);
}

/* Read the options that every driver has; create reads the others. */
static ach_status_t make_driver(ach_robot_t *robot, ach_section_t *s)
{
    const char *name = ach_section_string(s, "name", NULL);
    const ach_driver_class_t *class;
    ach_driver_t *d = NULL;
    size_t before = s->config->complaints;
    ach_status_t status;

    if (!name)
        return load_wrong(robot, s, "a driver needs a name");
    if (ach_section_bool(s, "process", false) && !robot->outlet)
        return make_process(robot, s, name);
    if (load_plugins(robot, s) != ACH_OK)
        return ACH_EINVAL;
    class = dev_class_find(robot, name);
    if (!class)
        return no_class(robot, s, name);
    ach_section_tuple_count(s, "provides");
    ach_section_tuple_count(s, "requires");
    ach_errstr_set(ACH_OK, "%s", "");
    status = dev_driver_create(robot, class, s, &d);
    if (d)
        d->alwayson = ach_section_bool(s, "alwayson", false) && !robot->outlet;
    return made(robot, s, before, status);
}

/* Try all drivers, so that one run finds most errors. */
static ach_status_t make_drivers(ach_robot_t *robot, ach_section_t *root)
{
    ach_status_t status = ACH_OK;
    ach_section_t *s = NULL;

    while ((s = ach_section_next(root, "driver", s)))
        if (make_driver(robot, s) != ACH_OK)
            status = ACH_EINVAL;
    return status;
}

/* Warn of drivers that provide nothing, or not all addresses of their option. */
static void warn_left(const ach_robot_t *robot)
{
    const ach_driver_t *d;

    for (d = robot->drivers; d; d = d->next) {
        size_t n = d->options ? ach_section_tuple_count(d->options, "provides") : 0;

        if (d->options && !n)
            dev_log_always(robot, ACH_LOG_WARNING,
                           "%s:%d: driver %s provides no device, so no client can use it",
                           ach_section_file(d->options), ach_section_line(d->options),
                           d->class->name);
        if (n && n < 64 && d->provided != (UINT64_C(1) << n) - 1)
            dev_log_always(robot, ACH_LOG_WARNING,
                           "%s:%d: driver %s does not provide all devices of its option provides",
                           ach_section_file(d->options), ach_section_line(d->options),
                           d->class->name);
    }
}

ach_status_t ach_robot_load_config(ach_robot_t *robot, ach_config_t *config)
{
    ach_section_t *root = ach_config_root(config);
    ach_status_t status = load_plugins(robot, root);

    if (status == ACH_OK)
        status = dev_older_translate(root);
    if (status == ACH_OK)
        status = dev_rights_read(robot, root);
    if (status == ACH_OK)
        status = make_drivers(robot, root);
    log_lines(robot, ACH_LOG_ERROR, ach_config_errors(config));
    if (status != ACH_OK)
        return ach_errstr_set(ACH_EINVAL, "the config file is wrong");
    status = dev_needs_resolve(robot);
    if (status != ACH_OK) {
        dev_log_always(robot, ACH_LOG_ERROR, "%s", ach_errstr());
        return ACH_EINVAL;
    }
    warn_left(robot);
    return ACH_OK;
}

ach_status_t ach_robot_load(ach_robot_t *robot, const char *path)
{
    ach_config_t *config;
    ach_status_t status = ach_config_load(path, &config);

    if (status != ACH_OK) {
        log_lines(robot, ACH_LOG_ERROR, ach_config_errors(NULL));
        return status;
    }
    if (robot->config) {
        ach_config_destroy(config);
        return ach_errstr_set(ACH_EEXIST, "the robot has already loaded a config file");
    }
    robot->config = config;
    status = ach_robot_load_config(robot, config);
    if (status == ACH_OK)
        log_lines(robot, ACH_LOG_WARNING, ach_config_warnings(config));
    return status;
}
