/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * eventfd.c - eventfd
 *
 * The kernel keeps the eventfd, and a waiter polls it after each step of the world, like any
 * descriptor. But threads of one process wake each other with eventfds: so a write posts an event
 * at the writer's virtual time.
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "stream.h"

EXPORT int eventfd(unsigned count, int flags)
{
    int fd = REAL(eventfd)(count, flags);

    simp_eventfd_set(fd, true);
    return fd;
}

static bool rings(int fd)
{
    return simp_eventfd_is(fd) && simc_free() && simp_threads() > 1;
}

EXPORT ssize_t write(int fd, const void *buf, size_t size)
{
    ssize_t r;

    if (!rings(fd))
        return simp_stream_write(fd, buf, size);
    simc_act();
    r = REAL(write)(fd, buf, size);
    simp_local_post(simp_eventfd_event());
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
