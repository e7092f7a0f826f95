/* SPDX-License-Identifier: BSD-3-Clause */
#include "dirwatch.h"

#include <libgen.h>
#include <poll.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "describe.h"

/* Polling interval without inotify. */
#define LOOK_NS 20000000u

static void watch_directory(int fd, const char *channel, enum ach_map map)
{
    char path[PATH_MAX];

    if (channel_path(channel, map, path))
        inotify_add_watch(fd, dirname(path), IN_CREATE | IN_MOVED_TO);
}

void dirwatch_init(struct dirwatch *a, const char *channel)
{
    a->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (a->fd < 0)
        return;
    watch_directory(a->fd, channel, ACH_MAP_USER);
    watch_directory(a->fd, channel, ACH_MAP_KERNEL);
}

void dirwatch_wait(const struct dirwatch *a, uint64_t ns)
{
    struct pollfd p = {.fd = a->fd, .events = POLLIN};
    struct timespec t;
    char events[4096];

    if (a->fd < 0 && ns > LOOK_NS)
        ns = LOOK_NS;
    t = (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
                          .tv_nsec = (long)(ns % 1000000000u)};
    if (ppoll(&p, 1, &t, NULL) == 1)
        while (read(a->fd, events, sizeof(events)) > 0)
            ;
}

void dirwatch_finish(struct dirwatch *a)
{
    if (a->fd >= 0)
        close(a->fd);
}
