/* SPDX-License-Identifier: BSD-3-Clause */
#include "origins_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel.h"
#include "clock.h"
#include "log.h"

#define MAGIC 0x31534e4947495241u /* "ARIGINS1" */
#define PREFIX ".achd-origins-"

/* The origins are first, so that they lead to the rest. */
struct origins_file {
    struct relay_origins origins;
    uint64_t magic, epoch;
};

static bool file_path(const char *channel, char path[PATH_MAX])
{
    char directory[PATH_MAX];
    int n;

    if (!relay_channel_directory(directory))
        return false;
    n = snprintf(path, PATH_MAX, "%s/" PREFIX "%s", directory, channel);
    return n > 0 && n < PATH_MAX;
}

/* The directory may be everybody's: do not use a file that another user has placed there. */
static bool file_usable(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           st.st_nlink == 1 && posix_fallocate(fd, 0, sizeof(struct origins_file)) == 0;
}

static void *file_map(const char *channel)
{
    char path[PATH_MAX];
    void *map = MAP_FAILED;
    int fd;

    if (!file_path(channel, path))
        return map;
    fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0 && file_usable(fd))
        map = mmap(NULL, sizeof(struct origins_file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        relay_log_error("cannot use %s: after a restart, messages may come again", path);
    if (fd >= 0)
        close(fd);
    return map;
}

/* Times of the last run mean nothing now: all entries count as just used. */
static void file_begin(struct origins_file *f, uint64_t epoch)
{
    unsigned i;

    if (f->magic != MAGIC || f->epoch != epoch || f->origins.n > RELAY_WIRE_MARKS)
        memset(f, 0, sizeof(*f));
    f->epoch = epoch;
    f->magic = MAGIC;
    for (i = 0; i < f->origins.n; i++) {
        f->origins.entries[i].timed = false;
        f->origins.entries[i].used = relay_clock_now();
    }
}

struct relay_origins *relay_origins_open(const char *channel, uint64_t epoch, bool keep)
{
    struct origins_file *f = keep ? file_map(channel) : MAP_FAILED;

    if (f == MAP_FAILED)
        f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED)
        return NULL;
    file_begin(f, epoch);
    return &f->origins;
}

void relay_origins_close(struct relay_origins *o)
{
    if (o)
        munmap(o, sizeof(struct origins_file));
}

void relay_origins_remove(const char *channel)
{
    char path[PATH_MAX];

    if (file_path(channel, path))
        unlink(path);
}

static bool channel_exists(const char *name)
{
    char path[PATH_MAX];

    return ach_channel_path(name, path, sizeof(path)) == ACH_OK && access(path, F_OK) == 0;
}

static void sweep_all(void)
{
    char path[PATH_MAX];
    const struct dirent *e;
    DIR *dir;

    if (!relay_channel_directory(path))
        return;
    dir = opendir(path);
    while (dir && (e = readdir(dir)))
        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0)
            relay_origins_sweep(e->d_name + strlen(PREFIX));
    if (dir)
        closedir(dir);
}

void relay_origins_sweep(const char *channel)
{
    if (!channel)
        sweep_all();
    else if (!channel_exists(channel))
        relay_origins_remove(channel);
}
