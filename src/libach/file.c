/* SPDX-License-Identifier: BSD-3-Clause */
#include "file.h"

#include <errno.h>
#include <unistd.h>

int achi_high_fd(int fd)
{
    int high, saved;

    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    saved = errno;
    close(fd);
    errno = saved;
    return high;
}

int achi_open_either(const char *path, int flags, bool *readonly)
{
    int fd;

    if (!*readonly) {
        fd = achi_high_fd(open(path, O_RDWR | flags));
        if (fd >= 0 || (errno != EACCES && errno != EPERM && errno != EROFS))
            return fd;
    }
    fd = achi_high_fd(open(path, O_RDONLY | flags));
    if (fd >= 0)
        *readonly = true;
    return fd;
}

int achi_byte_lock(int fd, off_t byte, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    return fcntl(fd, F_OFD_SETLK, &lock);
}

/* A read lock conflicts with write locks only, so F_OFD_GETLK reports no read locks. */
bool achi_byte_written(int fd, off_t byte)
{
    struct flock look = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    return fcntl(fd, F_OFD_GETLK, &look) != 0 || look.l_type != F_UNLCK;
}
