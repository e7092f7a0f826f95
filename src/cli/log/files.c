/* SPDX-License-Identifier: BSD-3-Clause */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pick.h"

#define FILES_NAME 200u /* bytes of a topic's name in that of a file */
#define FILES_SAME                                                                                 \
    1000u /* files of topics whose names differ only in letters that files cannot have */

static bool files_failed(const struct rec_files *f)
{
    complain("cannot write '%s': %s", f->path, strerror(errno));
    return false;
}

static bool files_make_directory(struct rec_files *f)
{
    size_t n = strlen(f->path);
    struct stat st;

    while (n > 1 && f->path[n - 1] == '/')
        n--;
    f->directory = strndup(f->path, n);
    if (!f->directory || asprintf(&f->temporary, "%s.part-XXXXXX", f->directory) < 0) {
        f->temporary = NULL;
        complain("no memory");
        return false;
    }
    if (lstat(f->directory, &st) == 0) {
        complain("'%s' exists: name a new directory", f->directory);
        return false;
    }
    return mkdtemp(f->temporary) ? true : files_failed(f);
}

bool rec_files_begin(struct rec_files *f)
{
    size_t n = strlen(f->path);
    bool ok;

    if (!n || f->path[n - 1] != '/') {
        f->output = (struct rec_output){.path = f->path, .force = f->force};
        return rec_output_begin(&f->output);
    }
    signal(SIGXFSZ, SIG_IGN);
    ok = files_make_directory(f);
    if (!ok) {
        free(f->temporary);
        f->temporary = NULL;
    }
    return ok;
}

/* Names of topics are not trusted. */
static void files_name(const char *topic, char *name)
{
    size_t i;

    topic += *topic == '/';
    snprintf(name, FILES_NAME, "%s", *topic ? topic : "_");
    for (i = 0; name[i]; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:",
                    name[i]) ||
            (!i && name[i] == '.'))
            name[i] = '_';
}

static int files_create(const struct rec_files *f, const struct logs_topic *t)
{
    char name[FILES_NAME], *path = NULL;
    int fd = -1;
    unsigned i;

    files_name(t->name, name);
    for (i = 1; fd < 0 && i < FILES_SAME; i++) {
        char again[16] = "";

        if (i > 1)
            snprintf(again, sizeof(again), "~%u", i);
        if (asprintf(&path, "%s/%s%s%s", f->temporary, name, again, f->suffix) < 0) {
            errno = ENOMEM;
            break;
        }
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        free(path);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        files_failed(f);
    return fd;
}

int rec_files_open(struct rec_files *f, const struct logs_topic *t)
{
    int fd;

    if (f->temporary)
        return files_create(f, t);
    if (f->only) {
        rec_complain_two(f->only, t, "a file can have one topic",
                         "choose with --topic, or end the output with / for a file of each");
        return -1;
    }
    f->only = t;
    fd = fcntl(f->output.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        files_failed(f);
    return fd;
}

static void files_remove(const char *directory)
{
    DIR *d = opendir(directory);
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(directory);
}

/* mkdtemp makes it private. */
static bool files_rename(const struct rec_files *f)
{
    mode_t mask = umask(0);

    umask(mask);
    chmod(f->temporary, 0777 & ~mask);
    return rename(f->temporary, f->directory) == 0 || files_failed(f);
}

bool rec_files_end(struct rec_files *f, bool ok)
{
    if (f->temporary) {
        ok = ok && files_rename(f);
        if (!ok)
            files_remove(f->temporary);
    } else if (!f->directory)
        ok = rec_output_end(&f->output, ok);
    free(f->temporary);
    free(f->directory);
    f->temporary = f->directory = NULL;
    return ok;
}
