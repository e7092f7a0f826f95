/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * servers.c - device channels whose server has exited
 *
 * A device server removes its channels dev.NUMBER.* when it ends. If it is killed,
 * they stay. The server is the source of dev.NUMBER.ans while it runs, and the
 * kernel releases that lock when the process exits, in any PID namespace. Other
 * channels cannot be checked: they outlive their creators on purpose.
 */
#include <ach.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"

#define SERVED_PREFIX "dev."
#define ANSWERS "ans"
#define ROBOT_TEXT sizeof("dev.4294967295.")

/* The prefix "dev.6665." of a channel dev.6665.ans; false: not a channel of answers. */
static bool robot_of(const char *name, char prefix[ROBOT_TEXT])
{
    const char *number = name + strlen(SERVED_PREFIX), *end;

    if (strncmp(name, SERVED_PREFIX, strlen(SERVED_PREFIX)) != 0)
        return false;
    end = number + strspn(number, "0123456789");
    if (end == number || strcmp(end, "." ANSWERS) != 0 || end + 1 - name >= (long)ROBOT_TEXT)
        return false;
    snprintf(prefix, ROBOT_TEXT, "%.*s", (int)(end + 1 - name), name);
    return true;
}

/* Did a server exit without removing this channel? A starting one has not locked it yet. */
static bool left_behind(const char *answers)
{
    char path[PATH_MAX];
    ach_info_t info;
    ach_channel_t chan;
    ach_attr_t attr;
    bool left;

    if (ach_channel_path(answers, path, sizeof(path)) != ACH_OK || !settled(path))
        return false;
    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    ach_attr_set_map(&attr, ACH_MAP_USER);
    if (ach_open(&chan, answers, &attr) != ACH_OK)
        return false;
    left = ach_channel_info(&chan, &info) == ACH_OK && info.single_writer && !info.sourced;
    ach_close(&chan);
    return left;
}

struct channel_count {
    const char *prefix;
    size_t n;
};

static enum ach_status count_channel(void *cx, const char *name, enum ach_map map)
{
    struct channel_count *c = cx;

    c->n += map == ACH_MAP_USER && strncmp(name, c->prefix, strlen(c->prefix)) == 0;
    return ACH_OK;
}

static enum ach_status check_server(void *cx, const char *name, enum ach_map map)
{
    struct report *r = cx;
    char prefix[ROBOT_TEXT];
    struct channel_count count = {.prefix = prefix};

    if (map != ACH_MAP_USER || !robot_of(name, prefix) || !left_behind(name))
        return ACH_OK;
    ach_list(count_channel, &count);
    advise(
        found(r, LEVEL_NOTE, "servers",
              "%zu channels %s* were left by a device server that was killed", count.n, prefix),
        "start the server again, so that it replaces them, or remove them: ach ls --names '%s*' | "
        "xargs ach rm",
        prefix);
    return ACH_OK;
}

void check_servers(struct report *r)
{
    ach_list(check_server, r);
}
