/* SPDX-License-Identifier: BSD-3-Clause */
#include "circle.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

/* Behind all bytes of a channel. */
#define FIRST_BYTE ((off_t)1 << 40)

static struct flock mark_of(enum relay_way way, short type)
{
    return (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = FIRST_BYTE + (off_t)way, .l_len = 1};
}

static bool is_marked(int fd, enum relay_way way)
{
    struct flock look = mark_of(way, F_WRLCK);

    return fcntl(fd, F_OFD_GETLK, &look) == 0 && look.l_type != F_UNLCK;
}

/* Mark first, then look: of two that come at the same time at least one sees the other. */
enum ach_status relay_circle_join(const char *name, enum relay_way way, int *fd)
{
    struct flock mark = mark_of(way, F_RDLCK);
    char path[PATH_MAX];

    *fd = -1;
    if (ach_channel_path(name, path, sizeof(path)) == ACH_OK)
        *fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0 || (fcntl(*fd, F_OFD_SETLK, &mark) == 0 &&
                    !is_marked(*fd, way == RELAY_SENDS ? RELAY_RECEIVES : RELAY_SENDS)))
        return ACH_OK;
    relay_circle_leave(fd);
    return ach_errstr_set(ACH_ENOTSUP,
                          "the channel '%s' stores no origins, so it cannot both receive and send "
                          "relayed messages; create it with 'ach mk --relayed'",
                          name);
}

void relay_circle_leave(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}
