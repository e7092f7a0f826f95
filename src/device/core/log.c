/* SPDX-License-Identifier: BSD-3-Clause */
/* log.c - lines for who runs the robot */
#include <stdarg.h>
#include <stdio.h>

#include "core.h"

#define LINE_MAX 512

static void write_line(const ach_robot_t *robot, enum ach_log level, const char *line)
{
    static const char *const words[] = {"error: ", "warning: ", "", ""};

    if (level > robot->attr.level)
        return;
    if (robot->attr.log)
        robot->attr.log(robot->attr.context, level, line);
    else
        fprintf(stderr, "ach: %s%s\n", words[level], line);
}

void ach_robot_log(const ach_robot_t *robot, enum ach_log level, const char *format, ...)
{
    char line[LINE_MAX];
    va_list ap;

    va_start(ap, format);
    vsnprintf(line, sizeof(line), format, ap);
    va_end(ap);
    write_line(robot, level, line);
}

void ach_driver_log(const ach_driver_t *driver, enum ach_log level, const char *format, ...)
{
    char line[LINE_MAX];
    va_list ap;
    int n = snprintf(line, sizeof(line), "%.64s: ", driver->class->name);

    va_start(ap, format);
    vsnprintf(line + n, sizeof(line) - (size_t)n, format, ap);
    va_end(ap);
    write_line(driver->robot, level, line);
}
