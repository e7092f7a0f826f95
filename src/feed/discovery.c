/* SPDX-License-Identifier: BSD-3-Clause */
#include "discovery.h"

#include <ach/kernel.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "clock.h"

/* Without inotify, and between two listings: a multiple of the time that one took, within limits. */
#define POLL_NS 100000000
#define PAUSE_FACTOR 10
#define PAUSE_MIN 5000000
#define PAUSE_MAX 1000000000

/* Readings at once: other users may make events as fast as they are read. */
#define READS_MAX 256

/* IN_MODIFY: a file was cut short. Puts are no such events. */
#define EVENTS (IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_MODIFY)

/* The file of a channel is its directory and a prefix before the name. */
static bool discovery_path(char path[PATH_MAX])
{
    return ach_channel_path("x", path, PATH_MAX) == ACH_OK;
}

static size_t discovery_prefix(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strlen(slash + 1) - 1;
}

void feed_discovery_init(struct feed_discovery *d)
{
    char path[PATH_MAX];

    memset(d, 0, sizeof(*d));
    d->listed = INT64_MIN / 2;
    d->pause = PAUSE_MIN;
    d->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (d->fd < 0)
        return;
    d->partial = !discovery_path(path) || inotify_add_watch(d->fd, dirname(path), EVENTS) < 0;
    inotify_add_watch(d->fd, "/dev", EVENTS & ~(uint32_t)IN_MODIFY);
}

void feed_discovery_finish(struct feed_discovery *d)
{
    if (d->fd >= 0)
        close(d->fd);
}

static void discovery_event(struct feed_discovery *d, const struct inotify_event *e,
                            feed_discovery_fun *fun, void *context)
{
    const char *device = strrchr(ACH_KERNEL_PREFIX, '/') + 1;
    char path[PATH_MAX];
    const char *prefix;
    size_t n;

    if (e->mask & (IN_Q_OVERFLOW | IN_IGNORED)) {
        d->partial = d->partial || (e->mask & IN_IGNORED);
        fun(context, NULL, ACH_MAP_DEFAULT);
        feed_discovery_soon(d);
    }
    if (!e->len || !discovery_path(path))
        return;
    n = discovery_prefix(path);
    prefix = strrchr(path, '/') + 1;
    if (strncmp(e->name, prefix, n) == 0)
        fun(context, e->name + n, ACH_MAP_USER);
    else if (strncmp(e->name, device, strlen(device)) == 0)
        fun(context, e->name + strlen(device), ACH_MAP_KERNEL);
    else
        return;
    feed_discovery_soon(d);
}

void feed_discovery_read(struct feed_discovery *d, feed_discovery_fun *fun, void *context)
{
    union {
        struct inotify_event event;
        char bytes[4096];
    } buffer;
    ssize_t n, at;
    int i;

    for (i = 0; i < READS_MAX && (n = read(d->fd, &buffer, sizeof(buffer))) > 0; i++) {
        for (at = 0; at < n;) {
            const struct inotify_event *e =
                (const struct inotify_event *)(const void *)(buffer.bytes + at);

            discovery_event(d, e, fun, context);
            at += (ssize_t)(sizeof(*e) + e->len);
        }
    }
}

void feed_discovery_soon(struct feed_discovery *d)
{
    int64_t next = d->listed + d->pause;

    if (d->due > next)
        d->due = next;
}

void feed_discovery_begin(struct feed_discovery *d, int64_t now)
{
    d->listed = now;
    d->due = d->fd < 0 || d->partial ? now + POLL_NS : INT64_MAX;
}

void feed_discovery_end(struct feed_discovery *d, int64_t now, int64_t spent)
{
    d->listed = now;
    d->pause = spent < PAUSE_MAX ? spent * PAUSE_FACTOR : PAUSE_MAX;
    if (d->pause < PAUSE_MIN)
        d->pause = PAUSE_MIN;
    if (d->pause > PAUSE_MAX)
        d->pause = PAUSE_MAX;
    if (d->due < now + d->pause)
        d->due = now + d->pause;
}
