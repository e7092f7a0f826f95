/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * servers.c - channels whose device server or simulation has exited
 *
 * A device server removes its channels dev.NUMBER.* when it ends, and a simulation the same
 * channels of its devices, its channels sim.NAME.* and its files .achsim-NAME.*. If they are
 * killed, these stay. The server is the source of dev.NUMBER.ans while it runs, and the
 * simulation has locked sim.NAME.note. The kernel releases these locks when the process exits,
 * in any PID namespace. Other channels cannot be checked: they outlive their creators on purpose.
 */
#include <ach.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "filelock.h"

/* The source of a channel has exited. */
static bool has_no_source(const char *name, const char *path)
{
    ach_info_t info;
    ach_channel_t chan;
    ach_attr_t attr;
    bool left;

    (void)path;
    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    ach_attr_set_map(&attr, ACH_MAP_USER);
    if (ach_open(&chan, name, &attr) != ACH_OK)
        return false;
    left = ach_channel_info(&chan, &info) == ACH_OK && info.single_writer && !info.sourced;
    ach_close(&chan);
    return left;
}

static bool is_unlocked(const char *name, const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool left = fd >= 0 && filelock_free(fd);

    (void)name;
    if (fd >= 0)
        close(fd);
    return left;
}

/* A server, by the channel PREFIX*LAST that shows whether it runs. */
static const struct server_kind {
    const char *prefix, *last, *what;
    const char *files;  /* beginning of the names of its other files; NULL: it has none */
    const char *digits; /* the only characters between prefix and last; NULL: any */
    bool (*has_exited)(const char *name, const char *path);
} kinds[] = {
    {"dev.", ".ans", "device server or a simulation", NULL, "0123456789", has_no_source},
    {"sim.", ".note", "simulation", ".achsim-", NULL, is_unlocked},
};

/* The length of "6665" in dev.6665.ans; 0: not a channel that shows whether such a server runs. */
static size_t length_of_server(const struct server_kind *k, const char *name)
{
    size_t before = strlen(k->prefix), after = strlen(k->last), n = strlen(name);

    if (n <= before + after || strncmp(name, k->prefix, before) != 0 ||
        strcmp(name + n - after, k->last) != 0)
        return 0;
    n -= before + after;
    return k->digits && strspn(name + before, k->digits) != n ? 0 : n;
}

/* Did a server exit without removing this channel? A starting one has not locked it yet. */
static bool left_behind(const struct server_kind *k, const char *name, char path[PATH_MAX])
{
    return ach_channel_path(name, path, PATH_MAX) == ACH_OK && settled(path) &&
           k->has_exited(name, path);
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

/* A command that removes the other files of a server; empty: it has none. */
static void write_remove(const struct server_kind *k, const char *server, int length,
                         const char *path, char *command, size_t room)
{
    *command = '\0';
    if (k->files)
        snprintf(command, room, "; rm -f '%.*s%s%.*s.'*", (int)(strrchr(path, '/') + 1 - path),
                 path, k->files, length, server);
}

static enum ach_status check_server(void *cx, const char *name, enum ach_map map)
{
    char prefix[ACH_CHAN_NAME_MAX], path[PATH_MAX], remove_files[PATH_MAX + 32];
    struct channel_count count = {.prefix = prefix};
    const struct server_kind *k = kinds, *end = kinds + sizeof(kinds) / sizeof(kinds[0]);
    struct report *r = cx;
    size_t length = 0;

    for (; k < end; k++)
        if ((length = length_of_server(k, name)))
            break;
    if (map != ACH_MAP_USER || k == end || !left_behind(k, name, path))
        return ACH_OK;
    snprintf(prefix, sizeof(prefix), "%s%.*s.", k->prefix, (int)length, name + strlen(k->prefix));
    write_remove(k, name + strlen(k->prefix), (int)length, path, remove_files,
                 sizeof(remove_files));
    ach_list(count_channel, &count);
    advise(found(r, LEVEL_NOTE, "servers", "%zu channels %s* were left by a %s that was killed",
                 count.n, prefix, k->what),
           "start it again, so that it replaces them, or remove them: ach ls --names '%s*' | "
           "xargs ach rm%s",
           prefix, remove_files);
    return ACH_OK;
}

void check_servers(struct report *r)
{
    ach_list(check_server, r);
}
