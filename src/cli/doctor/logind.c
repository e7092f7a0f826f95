/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * logind.c - does logind remove a user's channels at logout?
 *
 * With RemoveIPC=yes, the default, logind empties /dev/shm of a regular user's
 * files when the last session of the user ends. The setting is in logind.conf
 * and in drop-in files. A drop-in hides those of the same name in directories of
 * lower priority; among the rest the last by name wins.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "doctor.h"

#define FIRST_REGULAR_UID 1000
#define MAX_DROPINS 64

/* Highest priority first. */
static const char *const roots[] = {"/etc/systemd", "/run/systemd", "/usr/local/lib/systemd",
                                    "/usr/lib/systemd", "/lib/systemd"};

#define ROOTS (sizeof(roots) / sizeof(roots[0]))

struct setting {
    bool remove;
    char path[PATH_MAX]; /* of the file with the setting; "": the default applies */
};

struct dropin {
    char name[256];
    size_t root;
};

static bool is_yes(const char *value)
{
    return strcasecmp(value, "yes") == 0 || strcasecmp(value, "true") == 0 ||
           strcasecmp(value, "on") == 0 || strcmp(value, "1") == 0 || strcasecmp(value, "y") == 0 ||
           strcasecmp(value, "t") == 0;
}

static void read_line(char *line, const char *path, struct setting *s)
{
    static const char key[] = "RemoveIPC";
    char *p = line + strspn(line, " \t");

    if (strncmp(p, key, strlen(key)) != 0)
        return;
    p += strlen(key);
    p += strspn(p, " \t");
    if (*p++ != '=')
        return;
    p += strspn(p, " \t");
    p[strcspn(p, " \t\r\n")] = '\0';
    s->remove = *p ? is_yes(p) : true; /* empty: back to the default */
    snprintf(s->path, sizeof(s->path), "%s", path);
}

static bool read_file(const char *path, struct setting *s)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;

    if (!f)
        return false;
    while (getline(&line, &room, f) > 0)
        read_line(line, path, s);
    free(line);
    fclose(f);
    return true;
}

static void read_main(const struct report *r, struct setting *s)
{
    char path[PATH_MAX];
    size_t i;

    for (i = 0; i < ROOTS; i++) {
        snprintf(path, sizeof(path), "%s%s/logind.conf", r->root, roots[i]);
        if (read_file(path, s))
            return;
    }
}

static bool listed(const struct dropin *d, size_t n, const char *name)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (strcmp(d[i].name, name) == 0)
            return true;
    }
    return false;
}

static bool is_dropin(const char *name)
{
    size_t len = strlen(name);

    return name[0] != '.' && len > 5 && strcmp(name + len - 5, ".conf") == 0;
}

static size_t list_dropins(const struct report *r, size_t root, struct dropin *d, size_t n)
{
    char path[PATH_MAX];
    struct dirent *e;
    DIR *dir;

    snprintf(path, sizeof(path), "%s%s/logind.conf.d", r->root, roots[root]);
    dir = opendir(path);
    if (!dir)
        return n;
    while (n < MAX_DROPINS && (e = readdir(dir)) != NULL) {
        if (!is_dropin(e->d_name) || listed(d, n, e->d_name))
            continue;
        snprintf(d[n].name, sizeof(d[n].name), "%s", e->d_name);
        d[n++].root = root;
    }
    closedir(dir);
    return n;
}

static int logind_by_name(const void *a, const void *b)
{
    return strcmp(((const struct dropin *)a)->name, ((const struct dropin *)b)->name);
}

static void read_dropins(const struct report *r, struct setting *s)
{
    struct dropin d[MAX_DROPINS];
    size_t i, n = 0;

    for (i = 0; i < ROOTS; i++)
        n = list_dropins(r, i, d, n);
    qsort(d, n, sizeof(d[0]), logind_by_name);
    for (i = 0; i < n; i++) {
        char *path;

        if (asprintf(&path, "%s%s/logind.conf.d/%s", r->root, roots[d[i].root], d[i].name) < 0)
            return;
        read_file(path, s);
        free(path);
    }
}

void check_logind(struct report *r)
{
    struct setting s = {.remove = true};
    bool regular = getuid() >= FIRST_REGULAR_UID;
    const char *says;

    if (!r->root[0] && access("/run/systemd/seats", F_OK) != 0) {
        found(r, LEVEL_OK, "logind", "does not run here, and removes nothing");
        return;
    }
    read_main(r, &s);
    read_dropins(r, &s);
    says = s.path[0] ? s.path : "its default";
    if (!s.remove)
        found(r, LEVEL_OK, "logind", "leaves channels alone at logout (%s)", says);
    else if (strcmp(r->dir, "/dev/shm") != 0)
        found(r, LEVEL_OK, "logind", "removes nothing from %s", r->dir);
    else
        advise(found(r, regular ? LEVEL_WARNING : LEVEL_NOTE, "logind",
                     "removes the channels of a regular user when the user logs out (%s)", says),
               "set RemoveIPC=no in /etc/systemd/logind.conf, or run the robot as a system user");
}
