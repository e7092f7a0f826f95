/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * route.c - the chain of devices that led to a subscription, to detect circles
 *
 * The setup of a driver may cause the setup of others, here or in other robots. The
 * route is the list of devices on that way, as words "ID/HOST:ROBOT:INTERFACE:INDEX",
 * where ID is the robot's. A subscription that comes back to a driver on its own
 * route would wait for itself, and is refused.
 */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

#define WORD_MAX 200

static _Thread_local const char *current;

const char *ach_route(void)
{
    return current ? current : "";
}

void ach_route_set(const char *route)
{
    current = route;
}

void dev_route_identify(ach_robot_t *robot)
{
    uint64_t id;

    if (getrandom(&id, sizeof(id), GRND_NONBLOCK) != (ssize_t)sizeof(id))
        id = (uint64_t)time(NULL) << 32 ^ (uint64_t)getpid() ^ (uint64_t)(uintptr_t)robot;
    snprintf(robot->id, sizeof(robot->id), "%016llx", (unsigned long long)id);
}

static void write_word(const struct dev_device *d, char *word)
{
    const ach_robot_t *robot = d->driver->robot;
    const ach_interface_t *known = ach_interface_by_code(d->address.interf);
    char host[65] = "";

    gethostname(host, sizeof(host) - 1);
    snprintf(word, WORD_MAX, "%s/%s:%u:%s:%u", robot->id, *host ? host : "localhost",
             d->address.robot ? d->address.robot : robot->attr.robot,
             known ? known->name : "device", d->address.index);
}

ach_status_t dev_route_add(const struct dev_device *d, const char *before, char **route)
{
    size_t size = strlen(before) + WORD_MAX + 2;
    char word[WORD_MAX], *text;

    write_word(d, word);
    text = malloc(size);
    if (!text)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a route");
    snprintf(text, size, "%s%s%s", before, *before ? " " : "", word);
    free(*route);
    *route = text;
    return ACH_OK;
}

/* Write the words of a route without the robots' IDs, and the one that closes the circle. */
static void route_write_path(const char *from, const char *last, char *path, size_t size)
{
    size_t used = 0;

    while (*from && used < size) {
        size_t n = strcspn(from, " "), id = strcspn(from, "/") + 1;

        if (id > n)
            id = 0;
        used += (size_t)snprintf(path + used, size - used, "%.*s -> ", (int)(n - id), from + id);
        from += n + (from[n] == ' ');
    }
    if (used < size)
        snprintf(path + used, size - used, "%s", strchr(last, '/') + 1);
}

/* Whether the word is a device of that driver. */
static bool is_of(const char *word, const ach_driver_t *driver)
{
    const struct dev_device *d;
    size_t n = strcspn(word, " ");
    char own[WORD_MAX];

    if (strncmp(word, driver->robot->id, strlen(driver->robot->id)) != 0)
        return false;
    for (d = driver->robot->devices; d; d = d->next) {
        write_word(d, own);
        if (d->driver == driver && strlen(own) == n && strncmp(word, own, n) == 0)
            return true;
    }
    return false;
}

ach_status_t dev_route_check(const struct dev_device *d)
{
    const char *word = ach_route();
    char path[320], last[WORD_MAX];

    if (strlen(word) > ACH_ROUTE_MAX)
        return ach_errstr_set(ACH_OVERFLOW,
                              "the chain of robots that require each other is too long");
    while (*word && !is_of(word, d->driver)) {
        word += strcspn(word, " ");
        word += *word == ' ';
    }
    if (!*word)
        return ACH_OK;
    write_word(d, last);
    route_write_path(word, last, path, sizeof(path));
    return ach_errstr_set(ACH_EINVAL, "robots require each other in a circle: %s", path);
}
