/* SPDX-License-Identifier: BSD-3-Clause */
#include "users.h"

#include <ach/kernel.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_PREFIX "achshm-"

/* The fields of a line of /proc/PID/maps that we use. */
struct mapping {
    char permissions[5];
    uint64_t inode;
    const char *path;
};

static bool parse_mapping(char *line, struct mapping *m)
{
    int at = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%*s %4s %*s %*s %" SCNu64 " %n", m->permissions, &m->inode, &at) != 2 || !at)
        return false;
    m->path = line + at;
    return *m->path == '/';
}

/* The channel's name in the path of its file or device; NULL: another file. */
static const char *channel_in(const char *path, enum ach_map *map)
{
    const char *base = strrchr(path, '/') + 1;

    *map = ACH_MAP_USER;
    if (strncmp(base, FILE_PREFIX, strlen(FILE_PREFIX)) == 0)
        return base + strlen(FILE_PREFIX);
    *map = ACH_MAP_KERNEL;
    if (strncmp(path, ACH_KERNEL_PREFIX, strlen(ACH_KERNEL_PREFIX)) == 0)
        return path + strlen(ACH_KERNEL_PREFIX);
    return NULL;
}

static void read_name(pid_t pid, char name[16])
{
    char path[32];
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    f = fopen(path, "re");
    if (!f || !fgets(name, 16, f))
        strcpy(name, "?");
    name[strcspn(name, "\n")] = '\0';
    if (f)
        fclose(f);
}

/* A process may map a channel several times; it counts as one user. */
static struct user *users_find(struct users *u, pid_t pid, const char *channel, uint64_t inode)
{
    size_t i;

    for (i = u->n; i > 0 && u->items[i - 1].pid == pid; i--)
        if (u->items[i - 1].inode == inode && strcmp(u->items[i - 1].channel, channel) == 0)
            return &u->items[i - 1];
    return NULL;
}

static struct user *users_add(struct users *u, pid_t pid, const char *channel, uint64_t inode)
{
    struct user *items = realloc(u->items, (u->n + 1) * sizeof(*items));

    if (!items)
        return NULL;
    u->items = items;
    items[u->n] = (struct user){.pid = pid, .inode = inode};
    snprintf(items[u->n].channel, sizeof(items[u->n].channel), "%s", channel);
    if (u->n > 0 && items[u->n - 1].pid == pid)
        strcpy(items[u->n].process, items[u->n - 1].process);
    else
        read_name(pid, items[u->n].process);
    return &items[u->n++];
}

/* Has this process a descriptor of the device open for writing? */
static bool writes_device(pid_t pid, const char *device)
{
    char dir[32], path[64 + NAME_MAX], target[PATH_MAX];
    bool writes = false;
    struct dirent *e;
    DIR *d;

    snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)pid);
    d = opendir(dir);
    while (d && !writes && (e = readdir(d))) {
        unsigned flags = 0;
        ssize_t n;
        FILE *f;

        snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
        n = readlink(path, target, sizeof(target) - 1);
        if (n < 0)
            continue;
        target[n] = '\0';
        if (strcmp(target, device) != 0)
            continue;
        snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)pid, e->d_name);
        f = fopen(path, "re");
        writes =
            f && fscanf(f, "pos: %*s flags: %o", &flags) == 1 && (flags & O_ACCMODE) != O_RDONLY;
        if (f)
            fclose(f);
    }
    if (d)
        closedir(d);
    return writes;
}

static void users_take(struct users *u, pid_t pid, const struct mapping *m)
{
    enum ach_map map;
    const char *channel = channel_in(m->path, &map);
    struct user *user;

    if (!channel || strlen(channel) >= ACH_CHAN_NAME_MAX)
        return;
    user = users_find(u, pid, channel, m->inode);
    if (!user) {
        user = users_add(u, pid, channel, m->inode);
        if (!user)
            return;
        user->map = map;
        user->writes = map == ACH_MAP_KERNEL && writes_device(pid, m->path);
    }
    user->writes |= m->permissions[1] == 'w';
}

static void look_at(struct users *u, pid_t pid)
{
    char path[32], line[PATH_MAX + 128];
    struct mapping m;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    f = fopen(path, "re");
    if (!f) {
        u->hidden += errno == EACCES || errno == EPERM;
        return;
    }
    while (fgets(line, sizeof(line), f))
        if ((strstr(line, "/" FILE_PREFIX) || strstr(line, ACH_KERNEL_PREFIX)) &&
            parse_mapping(line, &m))
            users_take(u, pid, &m);
    /* For some processes the kernel denies the read, not the open. */
    u->hidden += ferror(f) && (errno == EACCES || errno == EPERM);
    fclose(f);
}

void users_look(struct users *u)
{
    DIR *d = opendir("/proc");
    struct dirent *e;

    u->n = u->hidden = 0;
    while (d && (e = readdir(d))) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

        if (pid > 0 && pid != getpid())
            look_at(u, pid);
    }
    if (d)
        closedir(d);
}

bool users_match(const struct user *user, const char *channel, const ach_info_t *info)
{
    return user->inode == info->inode &&
           (user->map == ACH_MAP_KERNEL) == (info->map == ACH_MAP_KERNEL) &&
           strcmp(user->channel, channel) == 0;
}

void users_json(const struct users *u, const char *channel, const ach_info_t *info, struct json *j)
{
    size_t i;

    json_array(j, "processes");
    for (i = 0; i < u->n; i++) {
        const struct user *user = &u->items[i];

        if (!users_match(user, channel, info))
            continue;
        json_object(j, NULL);
        json_uint(j, "pid", (uint64_t)user->pid);
        json_bytes(j, "name", user->process, strlen(user->process));
        json_bool(j, "writes", user->writes);
        json_end_object(j);
    }
    json_end_array(j);
    json_uint(j, "hidden_processes", u->hidden);
}

void users_finish(struct users *u)
{
    free(u->items);
    *u = (struct users){0};
}
