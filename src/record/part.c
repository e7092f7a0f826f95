/* SPDX-License-Identifier: BSD-3-Clause */
#include "part.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record.h"

bool record_splits(const struct record_settings *options)
{
    return options->split_size || options->split_time > 0;
}

char *record_part(const char *whole, unsigned part)
{
    const char *slash = strrchr(whole, '/'), *dot = strrchr(slash ? slash : whole, '.');
    int stem = (int)(dot ? (size_t)(dot - whole) : strlen(whole));
    char *path;

    return asprintf(&path, "%.*s_%04u%s", stem, whole, part, dot ? dot : "") < 0 ? NULL : path;
}

char *record_path(const struct record_settings *options, unsigned file)
{
    return record_splits(options) ? record_part(options->output, file) : strdup(options->output);
}

bool record_is_fifo(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Is the file drive_0007.mcap a part of drive.mcap? Both without directories. */
static bool part_is(const char *file, const char *whole)
{
    const char *dot = strrchr(whole, '.');
    const size_t stem = dot ? (size_t)(dot - whole) : strlen(whole);
    char *part, *end;
    bool is;

    if (strncmp(file, whole, stem) != 0 || file[stem] != '_')
        return false;
    part = record_part(whole, (unsigned)strtoul(file + stem + 1, &end, 10));
    is = end != file + stem + 1 && part && strcmp(part, file) == 0;
    free(part);
    return is;
}

char *record_part_there(const char *whole)
{
    const char *slash = strrchr(whole, '/'), *name = slash ? slash + 1 : whole;
    const int length = slash ? (int)(slash - whole) + 1 : 0;
    char *directory = slash ? strndup(whole, (size_t)length) : strdup("."), *there = NULL;
    DIR *d = directory ? opendir(directory) : NULL;
    const struct dirent *e;

    while (d && !there && (e = readdir(d)))
        if (part_is(e->d_name, name) && asprintf(&there, "%.*s%s", length, whole, e->d_name) < 0)
            there = NULL;
    if (d)
        closedir(d);
    free(directory);
    return there;
}
