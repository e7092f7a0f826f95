/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bell.c - eventfd
 *
 * It stays the kernel's, and who polls it looks after each step of the world as with any
 * descriptor. But threads of one process wake each other with it: who waits is told of a write
 * at the time it is made.
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "stream.h"

#define BELLS_MAX 65536

static bool bells[BELLS_MAX];

achi_event_t achi_bell_event(void)
{
    return achi_local_event(bells);
}

void achi_bell_set(int fd, bool is_bell)
{
    if (fd >= 0 && fd < BELLS_MAX && bells[fd] != is_bell)
        bells[fd] = is_bell;
}

void achi_bell_copy(int fd, int copy)
{
    achi_bell_set(copy, fd >= 0 && fd < BELLS_MAX && bells[fd]);
}

EXPORT int eventfd(unsigned count, int flags)
{
    int fd = REAL(eventfd)(count, flags);

    achi_bell_set(fd, true);
    return fd;
}

static bool rings(int fd)
{
    return fd >= 0 && fd < BELLS_MAX && bells[fd] && achi_sim_free() && achi_threads() > 1;
}

EXPORT ssize_t write(int fd, const void *buf, size_t size)
{
    ssize_t r;

    if (!rings(fd))
        return achi_stream_write(fd, buf, size);
    achi_sim_act();
    r = REAL(write)(fd, buf, size);
    achi_local_post(achi_bell_event());
    return r;
}

EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    return read(fd, value, sizeof(*value)) == sizeof(*value) ? 0 : -1;
}

EXPORT int eventfd_write(int fd, eventfd_t value)
{
    return write(fd, &value, sizeof(value)) == sizeof(value) ? 0 : -1;
}
