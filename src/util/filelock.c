/* SPDX-License-Identifier: BSD-3-Clause */
#include "filelock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum filelock filelock_take(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    struct flock look = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return FILELOCK_TAKEN;
    if (errno != EAGAIN && errno != EACCES)
        return FILELOCK_FAILED;
    if (fcntl(fd, F_OFD_GETLK, &look) != 0)
        return FILELOCK_FAILED;
    return look.l_type == F_UNLCK ? FILELOCK_READER : FILELOCK_WRITER;
}
